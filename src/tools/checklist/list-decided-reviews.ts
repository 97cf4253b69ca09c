import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import {
  DECIDED_BY,
  isDeciding,
  MESSAGE_OUTCOMES,
  type MessageOutcome,
  REVIEW_KINDS,
  type ReviewKind,
} from "../../domain/checklist/review.ts";
import type { AnswerStatus } from "../../domain/outreach/answer.ts";
import type { ActionStatus } from "../../domain/socialnet/action.ts";
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
  title: z
    .string()
    .describe("The contact of an answer or action, the name of a sequence, or the title of a card or post."),
  about: z
    .string()
    .nullable()
    .describe("An action's kind, a card's or post's checklist item. Null for an answer or audience."),
  account_label: z.string().nullable().describe("For an action: the account that it is sent from."),
  operation: z.string().describe("The operation that made the decision."),
  status: z.string().describe("The status after the decision. It may have changed since."),
  outcome: z
    .enum(Object.keys(MESSAGE_OUTCOMES) as [MessageOutcome])
    .nullable()
    .describe(
      `For the approval of an action or answer: what has become of the message since. ${Object.entries(MESSAGE_OUTCOMES)
        .map(([outcome, means]) => `\`${outcome}\`: ${means}`)
        .join(" ")} Null for other decisions, and if a later decision replaced the approval.`,
    ),
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
    "entry that was decided several times is listed once per decision. Approved messages have an outcome.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    kind: z.enum(REVIEW_KINDS).optional().describe("Only decisions on this kind."),
    limit: z.int().min(1).max(MAX_LISTED).default(20).describe("The maximum number of decisions to return."),
  }),
  output: z.array(Decided),
  async handler(ctx, { kind, limit }) {
    const operations = Object.keys(DECIDED_BY).filter(
      (operation) => kind === undefined || DECIDED_BY[operation as keyof typeof DECIDED_BY] === kind,
    );
    // The one operation that approves several kinds.
    const most = kind === undefined ? limit : MAX_LISTED;
    const newest = await ctx.store.reviewQueue.decided([...operations, approveReview.name], most);
    const rows = newest.filter((row) => kind === undefined || kindOf(row) === kind).slice(0, limit);
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
    outcome: isLatest && after.status === "approved" ? await outcomeOf(ctx, kind, id) : null,
  };
}

const ACTION_OUTCOMES: Record<ActionStatus, MessageOutcome> = {
  planned: "needs_review",
  approved: "waiting",
  claimed: "waiting",
  started: "sending",
  needs_review: "unconfirmed",
  held: "held",
  completed: "sent",
  failed: "failed",
  cancelled: "cancelled",
};

const ANSWER_OUTCOMES: Record<AnswerStatus, MessageOutcome> = {
  needs_review: "needs_review",
  changes_requested: "needs_review",
  approved: "waiting",
  sent: "sent",
  written: "saved_to_file",
  failed: "failed",
  cancelled: "cancelled",
};

/** What became of an approved message. Null for other kinds. */
async function outcomeOf({ store }: Context, kind: ReviewKind, id: string): Promise<MessageOutcome | null> {
  if (kind === "action") {
    const action = await store.socialnetActions.find(id);
    if (action === undefined) return null;
    return action.outcome === "already_connected" ? "not_needed" : ACTION_OUTCOMES[action.status];
  }
  if (kind !== "answer") return null;
  const answer = await store.emailAnswers.find(id);
  if (answer === undefined) return null;
  if (answer.status !== "approved" || answer.dueAt !== null) return ANSWER_OUTCOMES[answer.status];
  return (await store.sends.ofAnswer(id))?.status === "unknown" ? "unconfirmed" : "sending";
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
