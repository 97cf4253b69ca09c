import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { DECIDED_BY, isDeciding, REVIEW_KINDS, type ReviewKind } from "../../domain/checklist/review.ts";
import { excerptOf } from "../../domain/text/excerpt.ts";
import { iso } from "../../lib/time.ts";
import type { DecisionRow } from "../../store/checklist.ts";
import { time } from "../fields.ts";
import { approveReview } from "./approve-review.ts";
import { deciderOf, isWithdrawable, withdrawable } from "./proposal-schema.ts";

const MAX_LISTED = 50;

const Decided = z.object({
  kind: z.enum(REVIEW_KINDS),
  id: z.guid(),
  title: z.string().describe("For an action: its contact."),
  about: z
    .string()
    .nullable()
    .describe("An action's kind, a card's or post's checklist item. Null for an answer or audience."),
  account_label: z.string().nullable().describe("For an action: the account that it is sent from."),
  operation: z.string().describe("Who decided."),
  status: z.string().describe("The status it got from the decision. It may have changed since."),
  note: z.string().nullable(),
  decided_by: z.string(),
  decided_at: time,
  withdrawable,
});

export const listDecidedReviews = personOperation({
  name: "list_decided_reviews",
  area: "review",
  title: "List recent decisions",
  description:
    "Lists the latest review decisions of all kinds, newest first: what was decided, how, by whom and when. An " +
    "entry that was decided several times is listed once per decision.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    limit: z.int().min(1).max(MAX_LISTED).default(20).describe("The maximum number of decisions to return."),
  }),
  output: z.array(Decided),
  async handler(ctx, { limit }) {
    const rows = await ctx.store.reviewQueue.decided([...Object.keys(DECIDED_BY), approveReview.name], limit);
    const seen = new Set<string>();
    const decided = rows.map((row) => {
      const isLatest = !seen.has(row.recordId);
      seen.add(row.recordId);
      return toDecided(ctx, row, isLatest);
    });
    return { data: await Promise.all(decided) };
  },
});

async function toDecided(ctx: Context, row: DecisionRow, isLatest: boolean): Promise<z.infer<typeof Decided>> {
  const { recordId: id, action: operation, at, after } = row;
  const kind = kindOf(row);
  return {
    kind,
    id,
    operation,
    ...NOTHING,
    ...(await SUBJECTS[kind](ctx, id)),
    status: String(after.status ?? ""),
    note: typeof after.note === "string" ? after.note : null,
    decided_by: await deciderOf(ctx, row),
    decided_at: iso(at),
    // Only the latest decision on a record is what it is now.
    withdrawable: isLatest && (await isWithdrawable(ctx, kind, id)),
  };
}

/** One operation approves several of one kind: the audit entry of each identifies it. */
function kindOf({ action, after }: DecisionRow): ReviewKind {
  if (isDeciding(action)) return DECIDED_BY[action];
  if ("address" in after) return "answer";
  if (!("item_id" in after)) return "action";
  return "scheduled_for" in after ? "post" : "card";
}

/** What was decided on. */
type Subject = Pick<z.infer<typeof Decided>, "title" | "about" | "account_label">;

const NOTHING: Subject = { title: "", about: null, account_label: null };

const post = async ({ store }: Context, id: string) => {
  const row = await store.posts.find(id);
  return row === undefined ? {} : { title: row.title ?? excerptOf(row.body), about: row.itemId };
};

const SUBJECTS: Record<ReviewKind, (ctx: Context, id: string) => Promise<Partial<Subject>>> = {
  async answer({ store }, id) {
    const answer = await store.emailAnswers.find(id);
    const contact = answer && (await store.contacts.find(answer.contactId))?.contact;
    const name = [contact?.first_name, contact?.last_name].filter(Boolean).join(" ");
    return { title: name || (answer?.address ?? "") };
  },
  async action({ store }, id) {
    const action = await store.socialnetActions.findInContext(id);
    if (action === undefined) return {};
    const title = [action.firstName, action.lastName].filter(Boolean).join(" ");
    return { title, about: action.kind, account_label: action.accountLabel };
  },
  async sequence({ store }, id) {
    const approval = await store.approvals.find(id);
    return approval === undefined ? {} : { title: (await store.sequences.find(approval.sequenceId))?.name ?? "" };
  },
  async card({ store }, id) {
    const card = await store.cards.find(id);
    return card === undefined ? {} : { title: card.title, about: card.itemId };
  },
  post,
  publish: post,
};
