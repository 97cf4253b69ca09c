import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { ITEM_KINDS } from "../../domain/checklist/item.ts";
import { REVIEW_KINDS, type ReviewKind } from "../../domain/checklist/review.ts";
import { iso } from "../../lib/time.ts";
import { isOwnProposal } from "../../services/access/own-proposal.ts";
import { editorsOfAnswer, requireAnswer } from "../../services/outreach/answers.ts";
import { hashCopy, senderOf } from "../../services/outreach/approvals.ts";
import { authorsOf, editorsOf, requireAction } from "../../services/socialnet/actions.ts";
import { recordId } from "../fields.ts";
import { ReviewedAnswer, showReviewedAnswer } from "../inbox/reviewed-answer.ts";
import { AudienceContact, Sender, showRecipients, toSender } from "../outreach/audience-schema.ts";
import { Approval, toApproval, toWholeSequence, WholeSequence } from "../outreach/sequence-schema.ts";
import { ListMeta, listMeta } from "../page.ts";
import { DecidableAction, showDecidable } from "../socialnet/action-schema.ts";
import {
  DeniedBefore,
  deciderOf,
  Example,
  earlierMessage,
  isWithdrawable,
  Proposer,
  SentBack,
  toDeniedBefore,
  toExample,
  toProposer,
  toSentBack,
  withdrawable,
} from "./proposal-schema.ts";
import { Card, Post, toCard, toPost } from "./review-schema.ts";

/** How many contacts of an audience are shown with their filled steps. */
const MAX_EXAMPLES = 3;
/** Contacts of an audience on one page, each with every value. */
const PAGE_OF_CONTACTS = 100;

const LAST = { limit: 1, offset: 0 };

const Reviewed = z.object({
  id: z.guid(),
  kind: z.enum(REVIEW_KINDS),
  waiting: z.boolean().describe("Whether the entry still needs review."),
  withdrawable,
  version: z
    .string()
    .describe("The hash of what is shown. An approval that sends it is refused if anything has changed."),
  proposed_by: Proposer,
  edited_by: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe("Who edited the text of an answer or action after it was proposed. They also count as its authors."),
  own_proposal: z.boolean().describe("Whether the caller, or one of their keys or agents, proposed or edited it."),
  answer: ReviewedAnswer.nullable(),
  action: DecidableAction.nullable(),
  card: Card.nullable(),
  post: Post.nullable(),
  approval: Approval.nullable(),
  sequence: WholeSequence.nullable(),
  sender: Sender.nullable().describe(
    "The sequence's current sender. The version covers it while the approval is open.",
  ),
  examples: z
    .array(Example)
    .describe(`The steps of a sequence, filled in for the first ${MAX_EXAMPLES} contacts of this page.`),
  audience: z
    .array(
      AudienceContact.extend({
        changed: z
          .boolean()
          .describe(
            "Whether a value that the approval covers has changed since, so that the enrollment would be on hold.",
          ),
      }),
    )
    .describe(
      `Up to ${PAGE_OF_CONTACTS} contacts of an audience, with all their current values. Archived contacts are skipped.`,
    ),
  audience_page: ListMeta.nullable().describe("The position of this page in the audience, which is ordered by id."),
  item: z
    .object({ id: z.string(), kind: z.enum(ITEM_KINDS), task: z.string() })
    .nullable()
    .describe("The checklist item."),
  before: SentBack.nullable().describe(
    "The version for which changes were requested last. If someone edited a message and no changes were requested: its " +
      "first text.",
  ),
  denied_before: DeniedBefore.nullable().describe(
    "Only while the entry needs review: earlier drafts for the same item that people rejected, or actions for the " +
      "same contact that they canceled.",
  ),
});
type Whole = z.infer<typeof Reviewed>;

/** What is not of the kind. */
const NOTHING = {
  edited_by: [],
  answer: null,
  action: null,
  card: null,
  post: null,
  approval: null,
  sequence: null,
  sender: null,
  examples: [],
  audience: [],
  audience_page: null,
  item: null,
  before: null,
  denied_before: null,
} satisfies Partial<Whole>;

export const getReview = personOperation({
  name: "get_review",
  area: "review",
  title: "Get a review entry",
  description:
    "Reads everything that a person needs to decide on one review entry: the exact text and its version, who " +
    "proposed it, and the earlier version with its change request. It also shows related rejections and the " +
    "checklist item or sequence.",
  access: { permission: "view" },
  effect: "read",
  errors: ["answer_not_found", "action_not_found", "approval_not_found", "card_not_found", "post_not_found"],
  input: z.strictObject({
    kind: z.enum(REVIEW_KINDS).describe("The kind of entry. publish is an approved post."),
    id: recordId("entry"),
    offset: z.int().min(0).default(0).describe("Contacts of an audience to skip, from 0."),
  }),
  output: Reviewed,
  async handler(ctx, { kind, id, offset }) {
    const read = await READ[kind](ctx, id, offset);
    return { data: { ...NOTHING, id, kind, withdrawable: await isWithdrawable(ctx, kind, id), ...read } };
  },
});

type Read = (
  ctx: Context,
  id: string,
  offset: number,
) => Promise<Omit<Whole, "id" | "kind" | "withdrawable" | keyof typeof NOTHING> & Partial<Whole>>;

const READ: Record<ReviewKind, Read> = {
  async answer(ctx, id) {
    const row = await requireAnswer(ctx, id);
    const answer = await showReviewedAnswer(ctx, row);
    const editors = await editorsOfAnswer(ctx, id);
    return {
      waiting: row.status === "needs_review",
      version: answer.copy_hash,
      proposed_by: await toProposer(ctx, { id: row.plannedById, name: row.plannedBy }),
      edited_by: await named(ctx, editors),
      own_proposal: await isOwnProposal(ctx, [row.plannedById, ...editors]),
      answer,
      before: await earlierMessage(ctx, row),
    };
  },
  async action(ctx, id) {
    const row = await requireAction(ctx, id);
    const action = await showDecidable(ctx, row);
    const editors = await editorsOf(ctx, row);
    return {
      waiting: row.status === "planned",
      version: action.copy_hash,
      proposed_by: await toProposer(ctx, { id: row.plannedById, name: row.plannedBy }),
      edited_by: await named(ctx, editors),
      own_proposal: await isOwnProposal(ctx, await authorsOf(ctx, row)),
      action,
      before:
        row.editedById === null && row.changeRequestedAt === null
          ? null
          : await earlierMessage(ctx, { id, subject: null, body: row.copy }),
      denied_before: row.status === "planned" ? await cancelledBefore(ctx, row.contactId) : null,
    };
  },
  async sequence(ctx, id, offset) {
    const { approvals, sequences } = ctx.store;
    const row = await approvals.find(id);
    const sequence = row && (await sequences.find(row.sequenceId));
    if (row === undefined || sequence === undefined) throw problem("approval_not_found");
    const name = await nameOf(ctx, row.approvedBy);
    const page = { limit: PAGE_OF_CONTACTS, offset };
    const pinned = await approvals.audience(id, page);
    const recipients = await approvals.recipients(pinned.map(({ contactId }) => contactId));
    const hashes = new Map(pinned.map(({ contactId, copyHash }) => [contactId, copyHash]));
    const sender = await senderOf(ctx.store, sequence);
    const shown = await showRecipients(ctx, recipients, sequence.steps, sender.senderName);
    const now = recipients.map((recipient) => hashCopy(recipient, sequence.steps));
    return {
      waiting: row.status === "approved",
      version: row.stepsHash,
      proposed_by: { id: row.approvedBy, name, key: null },
      own_proposal: row.approvedBy === ctx.actor.id,
      approval: toApproval(row),
      sequence: toWholeSequence(sequence),
      sender: toSender(sender),
      audience: shown.map((contact, i) => ({ ...contact, changed: now[i] !== hashes.get(contact.contact_id) })),
      audience_page: listMeta(page, pinned.length, row.contactCount),
      examples: recipients
        .slice(0, MAX_EXAMPLES)
        .map((recipient) => toExample(sequence.steps, recipient, sender.senderName)),
    };
  },
  async card(ctx, id) {
    const row = await ctx.store.cards.find(id);
    if (row === undefined) throw problem("card_not_found");
    const card = toCard(row);
    return {
      waiting: row.status === "pending",
      version: card.content_hash,
      ...(await submitted(ctx, row)),
      card,
      before: toSentBack(row.redoOf === null ? undefined : await ctx.store.cards.find(row.redoOf)),
      denied_before:
        row.status === "pending"
          ? toDeniedBefore(await ctx.store.cards.list({ status: "denied", itemId: row.itemId }, LAST))
          : null,
    };
  },
  post: (ctx, id) => readPost(ctx, id, "needs_review"),
  publish: (ctx, id) => readPost(ctx, id, "approved"),
};

/** The name of a member or of an agent's key, or else the ID. */
async function nameOf({ store }: Context, id: string): Promise<string> {
  return (await store.members.find(id))?.name ?? (await store.keys.find(id))?.name ?? id;
}

function named(ctx: Context, ids: readonly string[]) {
  return Promise.all(ids.map(async (id) => ({ id, name: await nameOf(ctx, id) })));
}

async function readPost(ctx: Context, id: string, status: "needs_review" | "approved") {
  const row = await ctx.store.posts.find(id);
  if (row === undefined) throw problem("post_not_found");
  const post = toPost(row);
  return {
    waiting: row.status === status,
    version: post.content_hash,
    ...(await submitted(ctx, row)),
    post,
    before: toSentBack(row.redoOf === null ? undefined : await ctx.store.posts.find(row.redoOf)),
    denied_before:
      row.status === "needs_review"
        ? toDeniedBefore(await ctx.store.posts.list({ status: "declined", itemId: row.itemId }, LAST))
        : null,
  };
}

async function cancelledBefore(ctx: Context, contactId: string): Promise<Whole["denied_before"]> {
  const row = await ctx.store.reviewQueue.cancelled(contactId);
  if (row === undefined) return null;
  const { count, id, note, at } = row;
  return { count, id, note, decided_by: await deciderOf(ctx, row), decided_at: iso(at) };
}

/** Who handed it in, and for which item. */
async function submitted(
  ctx: Context,
  {
    itemId,
    submittedById: id,
    submittedByName: name,
  }: { itemId: string; submittedById: string; submittedByName: string },
) {
  const item = ctx.catalog.items.find((candidate) => candidate.id === itemId);
  return {
    proposed_by: await toProposer(ctx, { id, name }),
    own_proposal: await isOwnProposal(ctx, [id]),
    item: item === undefined ? null : { id: item.id, kind: item.kind, task: item.task },
  };
}
