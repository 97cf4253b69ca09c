import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { type CatalogItem, canRecordEvidence } from "../../domain/checklist/item.ts";
import { iso } from "../../lib/time.ts";
import { dayDone } from "../../services/checklist/marks.ts";
import { always } from "../fields.ts";
import { AGENT_RULE, doneOn, itemId, recordedBy } from "./item-schema.ts";
import { findItem } from "./item-view.ts";

const STATUSES = ["done", "in_progress"] as const;

export const recordChecklistEvidence = agentOperation({
  name: "record_checklist_evidence",
  area: "checklist",
  title: "Record evidence for a checklist item",
  description:
    "Records evidence that an item is done or in progress. Use it only where agent.can_record_evidence is true. It sets " +
    "the item's status under your key's name and changes nothing outside Rostrum. New evidence replaces earlier evidence. " +
    `Refused for items that need an output, that the server checks itself, or whose status a person set. ${AGENT_RULE}`,
  access: { scope: "social_checklist.record" },
  http: {
    method: "POST",
    path: "/social/checklist/items/{id}/evidence",
    statuses: [201, 200],
    location: "/social/checklist/items/{item_id}/context",
  },
  tool: {
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["item_not_found", "approval_required", "detected_by_service", "detected_mark", "person_mark"],
  input: z
    .strictObject({
      id: itemId,
      status: z.enum(STATUSES),
      evidence: z
        .string()
        .max(2_000)
        .refine((text) => text.trim() !== "", "can't be empty")
        .describe("What you saw and where, so that a person can check it."),
      done_on: doneOn,
    })
    .refine(({ status, done_on }) => status !== "in_progress" || done_on === undefined, {
      path: ["done_on"],
      error: "can only be set with status done. Remove it",
      when: always,
    })
    .meta({ examples: [{ status: "done", evidence: "The banner on the profile page shows the new logo." }] }),
  output: z.object({
    item_id: z.string(),
    status: z.enum(STATUSES),
    evidence: z.string(),
    done_on: z.iso.date().nullable().describe("The day that this evidence is for. Null if the status is in_progress."),
    last_done_on: z.iso.date().nullable().describe("The latest day on which the item is known to have been done."),
    status_source: z.literal("agent"),
    recorded_by: recordedBy,
    status_updated_at: z.iso.datetime(),
  }),
  async prepare(ctx, { status, done_on }) {
    return dayDone(ctx, status, done_on);
  },
  async handler(ctx, { id, status, evidence }, day) {
    requireObservation(findItem(ctx, id));
    const { actor, now: updatedAt } = ctx;
    const by = { byId: actor.kind === "key" ? actor.id : null, byName: actor.name };
    const recorded = await ctx.store.checklist.recordEvidence({
      itemId: id,
      status,
      evidence,
      doneOn: day,
      ...by,
      updatedAt,
    });
    if (recorded === undefined) throw await markedByOthers(ctx, id);
    const data = {
      item_id: id,
      status,
      evidence,
      done_on: day,
      last_done_on: await ctx.store.checklist.lastDoneOn(id),
      status_source: "agent" as const,
      recorded_by: { key_id: by.byId, name: by.byName },
      status_updated_at: iso(updatedAt),
    };
    return { status: recorded.created ? 201 : 200, data, record: id };
  },
});

function requireObservation(item: CatalogItem): void {
  const { evidence_verdict, replaced_by } = item.executor;
  if (evidence_verdict === "service") {
    throw problem(
      "detected_by_service",
      `${item.id} takes no evidence because the server detects its status itself. There is nothing to record.`,
    );
  }
  if (canRecordEvidence(item)) return;
  const why = {
    observation: `it is replaced by ${replaced_by}`,
    output: "it needs an approved submission. Use submit_checklist_output instead",
    person: "only a teammate can mark it as done",
  }[evidence_verdict];
  throw problem("approval_required", `${item.id} takes no evidence because ${why}.`);
}

async function markedByOthers({ store }: Context, id: string) {
  const mark = await store.checklist.mark(id);
  return mark?.source === "system"
    ? problem("detected_mark", `The server has marked ${id} as ${mark.status} itself. There is nothing to record.`)
    : problem(
        "person_mark",
        `A teammate has marked ${id}${mark ? ` as ${mark.status}` : ""}. Ask a teammate to change it.`,
      );
}
