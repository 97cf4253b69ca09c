import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { ALL_CHANNELS, type Channel } from "../../domain/checklist/channel.ts";
import { acceptedOutputKinds, type CatalogItem, OUTPUT_KINDS, type OutputKind } from "../../domain/checklist/item.ts";
import { iso } from "../../lib/time.ts";
import type { CardRow, PostRow } from "../../store/checklist.ts";
import { always, givenTime } from "../fields.ts";
import { AGENT_RULE, itemId } from "./item-schema.ts";
import { findItem } from "./item-view.ts";

const MAX_POST = 20_000;
const MAX_DOCUMENT = 4_000;
const MAX_DOCUMENT_TITLE = 200;

const filled = (text: string) => text.trim() !== "";
const lengthOf = (text: unknown) => (typeof text === "string" ? [...text].length : 0);

const fields = {
  output_kind: z.enum(OUTPUT_KINDS).describe("One of the item's agent.accepts_output_kinds."),
  body: z
    .string()
    .max(MAX_POST)
    .refine(filled, "can't be empty")
    .describe(
      `The text, at most ${MAX_POST} characters. In a document, summary and body together have at most ${MAX_DOCUMENT}.`,
    ),
  platform: z
    .enum(ALL_CHANNELS)
    .optional()
    .describe("Only for a social_post: its channel. Default: the item's only channel, or none."),
  title: z
    .string()
    .max(300)
    .optional()
    .describe(`Required for a document, at most ${MAX_DOCUMENT_TITLE} characters. Optional for a social_post.`),
  scheduled_for: givenTime
    .optional()
    .describe("Only for a social_post: the suggested time to publish. The reviewer sets the real one."),
  summary: z
    .string()
    .max(500)
    .optional()
    .describe("Only for a document: shown above the body. At most 500 characters."),
};

/** What only one kind takes. */
const ONLY: Record<string, OutputKind> = {
  platform: "social_post",
  scheduled_for: "social_post",
  summary: "document",
};

/** Also asked of a submission with faults of its own, whose values may be anything. */
function checkKind(given: z.input<z.ZodObject<typeof fields>>, issues: z.RefinementCtx): void {
  const { output_kind: kind, title, summary, body } = given;
  const refuse = (field: string, message: string) => issues.addIssue({ code: "custom", path: [field], message });
  if (!OUTPUT_KINDS.includes(kind)) return;
  for (const [field, only] of Object.entries(ONLY)) {
    if (given[field as keyof typeof given] !== undefined && kind !== only) {
      refuse(field, `can only be sent for a ${only}. Remove it`);
    }
  }
  const isEmpty = typeof title === "string" && !filled(title);
  if (kind !== "document") {
    if (isEmpty) refuse("title", "can't be empty. Remove it");
    return;
  }
  if (title === undefined || isEmpty) refuse("title", "is required for a document");
  if (lengthOf(title) > MAX_DOCUMENT_TITLE) {
    refuse("title", `must be ${MAX_DOCUMENT_TITLE} characters or fewer for a document`);
  }
  const length = lengthOf(summary) + lengthOf(body);
  if (length > MAX_DOCUMENT) {
    refuse("body", `has ${length} characters with the summary. A document can have ${MAX_DOCUMENT} at most`);
  }
}

const Submission = z.object({
  id: z.guid(),
  item_id: z.string(),
  output_kind: z.enum(OUTPUT_KINDS),
  status: z
    .enum(["needs_review", "pending"])
    .describe("needs_review for a post, pending for a card. Both need a person's decision."),
  card_id: z.guid().nullable(),
  post_id: z.guid().nullable(),
  redo_of: z
    .guid()
    .nullable()
    .describe("The card or post for which changes were requested, and which this one replaces."),
  created_at: z.iso.datetime(),
});

export const submitChecklistOutput = agentOperation({
  name: "submit_checklist_output",
  area: "checklist",
  title: "Submit a draft for a checklist item",
  description:
    "Submits a draft for review. A social_post becomes a post that needs review. A document becomes a card that a person " +
    "approves, rejects or returns with a change request. Read get_checklist_item_context first. An item takes the " +
    "output kinds in its agent.accepts_output_kinds. After a change request, submit the new version for the same item. " +
    `While a card is pending, submitting is refused with card_waiting. ${AGENT_RULE}`,
  access: { scope: "social_checklist.submit" },
  http: {
    method: "POST",
    path: "/social/checklist/items/{id}/submissions",
    statuses: [201],
    location: "/social/checklist/items/{item_id}/context",
    body: "ChecklistSubmission",
  },
  tool: {
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["item_not_found", "output_kind_not_accepted", "card_waiting"],
  input: z
    .strictObject({ id: itemId, ...fields })
    .superRefine(checkKind, { when: always })
    .meta({ examples: [{ output_kind: "social_post", platform: "socialnet", body: "What we learned this week." }] }),
  output: Submission,
  async prepare({ now }, { scheduled_for }) {
    const suggestedFor = scheduled_for === undefined ? null : Date.parse(scheduled_for);
    if (suggestedFor !== null && suggestedFor <= now) {
      throw problem("validation_failed", "scheduled_for: must be in the future. Suggest a later time, or remove it.");
    }
    return suggestedFor;
  },
  async handler(ctx, { id, output_kind, ...given }, suggestedFor) {
    const item = findItem(ctx, id);
    requireAccepted(item, output_kind);
    const { body, title, platform: channel = onlyChannel(item), summary = null } = given;
    const { actor, now: submittedAt } = ctx;
    const stamp = { id: ctx.newId(), itemId: id, submittedById: actor.id, submittedByName: actor.name, submittedAt };
    const row =
      output_kind === "document"
        ? await ctx.store.cards.insert({ ...stamp, body, title: title ?? "", summary })
        : await ctx.store.posts.insert({ ...stamp, body, title: title ?? null, channel, suggestedFor });
    if (row === undefined) {
      throw problem("card_waiting", `A card for ${id} is pending. Wait for the decision before you submit again.`);
    }
    return { data: toSubmission(row, output_kind) };
  },
});

/** The default channel of the item's posts: checks count what was published on a channel. */
function onlyChannel({ channels: [only, ...others] }: CatalogItem): Channel | null {
  return only !== undefined && others.length === 0 ? only : null;
}

function requireAccepted(item: CatalogItem, kind: OutputKind): void {
  const kinds = acceptedOutputKinds(item);
  if (kinds.includes(kind)) return;
  const { replaced_by } = item.executor;
  const takes = kinds.length > 0 ? `Use ${kinds.join(" or ")}` : "It accepts no submissions";
  const why = replaced_by === null ? takes : `Use item ${replaced_by}, which replaces it`;
  throw problem("output_kind_not_accepted", `output_kind: can't be ${kind} for item ${item.id}. ${why}.`);
}

function toSubmission(row: CardRow | PostRow, kind: OutputKind): z.infer<typeof Submission> {
  const isCard = kind === "document";
  return {
    id: row.id,
    item_id: row.itemId,
    output_kind: kind,
    status: isCard ? "pending" : "needs_review",
    card_id: isCard ? row.id : null,
    post_id: isCard ? null : row.id,
    redo_of: row.redoOf,
    created_at: iso(row.submittedAt),
  };
}
