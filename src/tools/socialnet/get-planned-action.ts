import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { ACTION_STATUSES, OUTCOMES } from "../../domain/socialnet/action.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { isOwnProposal } from "../../services/access/own-proposal.ts";
import { authorsOf, requireAction } from "../../services/socialnet/actions.ts";
import type { AuditRow } from "../../store/logs.ts";
import type { StartRow } from "../../store/socialnet.ts";
import { recordId, time } from "../fields.ts";
import { DecidableAction, showDecidable } from "./action-schema.ts";

/** What befalls one action is little; one that is claimed and let go for days is cut off here. */
const CHANGES = 100;
const STARTS = 20;

const Who = z.object({
  kind: z.string().describe("member, key, local_operator, or system (the server itself)."),
  id: z.string(),
  name: z.string().nullable().describe("Null for a removed member."),
});

const Change = z.object({
  at: time,
  move: z
    .string()
    .describe(
      "What was done: a status change, plan, edit, late_stop, late_void or late_report. late_stop: a stop was requested " +
        "after the start, or the action lost its approval while on hold. late_void: the automatic approval was withdrawn after the start. " +
        "late_report: an agent reported late that the action was sent.",
    ),
  by: Who,
  from: z.string().nullable(),
  to: z.string().nullable(),
  note: z.string().nullable(),
  copy: z.string().nullable().describe("The copy at that time, if the change is about it."),
});

const Start = z.object({
  started_at: time,
  by: Who,
  outcome: z.enum(OUTCOMES).nullable().describe("Null: no result was reported."),
  evidence: z.string().nullable(),
  recorded_at: time.nullable(),
  status_after: z.enum(ACTION_STATUSES).nullable(),
});

export const getPlannedAction = personOperation({
  name: "get_planned_action",
  area: "socialnet",
  title: "Get an action",
  description:
    `Reads an action with its exact copy, what blocks it, its newest ${CHANGES} changes, and its newest ${STARTS} ` +
    "starts with the agents' reports.",
  access: { permission: "view" },
  effect: "read",
  errors: ["action_not_found"],
  input: z.strictObject({ action_id: recordId("action") }),
  output: DecidableAction.extend({
    own_proposal: z.boolean().describe("Whether the caller, their key or their agent proposed it."),
    history: z.array(Change),
    starts: z.array(Start),
  }),
  async handler(ctx, { action_id }) {
    const action = await requireAction(ctx, action_id);
    const changes = await ctx.store.logs.auditOf(action.id, CHANGES);
    const starts = await ctx.store.socialnetActions.starts(action.id, STARTS);
    const nameOf = namer(ctx);
    return {
      data: {
        ...(await showDecidable(ctx, action)),
        own_proposal: await isOwnProposal(ctx, await authorsOf(ctx, action)),
        history: await Promise.all(changes.map((change) => toChange(change, nameOf))),
        starts: await Promise.all(starts.map((start) => toStart(start, nameOf))),
      },
    };
  },
});

type NameOf = (kind: string, id: string) => Promise<string | null>;

/** Looks up each member's name once. */
function namer({ store }: Context): NameOf {
  const known = new Map<string, Promise<string | null>>();
  const find = async (kind: string, id: string) => {
    if (kind === "member") return (await store.members.find(id))?.name ?? null;
    if (kind === "key") return (await store.keys.find(id))?.name ?? null;
    return kind === "system" ? "Rostrum" : id;
  };
  return (kind, id) => {
    const name = known.get(id) ?? find(kind, id);
    known.set(id, name);
    return name;
  };
}

const textOf = (facts: AuditRow["after"], name: string) => {
  const value = facts?.[name];
  return typeof value === "string" ? value : null;
};

async function toChange(row: AuditRow, nameOf: NameOf): Promise<z.infer<typeof Change>> {
  const { at, actorKind: kind, actorId: id, before, after } = row;
  return {
    at: iso(at),
    move: textOf(after, "move") ?? row.action,
    by: { kind, id, name: await nameOf(kind, id) },
    from: textOf(before, "status"),
    to: textOf(after, "status"),
    note: textOf(after, "note"),
    copy: textOf(after, "copy"),
  };
}

async function toStart(row: StartRow, nameOf: NameOf): Promise<z.infer<typeof Start>> {
  return {
    started_at: iso(row.startedAt),
    by: { kind: "key", id: row.keyId, name: await nameOf("key", row.keyId) },
    outcome: row.outcome,
    evidence: row.evidence,
    recorded_at: isoOrNull(row.recordedAt),
    status_after: row.statusAfter,
  };
}
