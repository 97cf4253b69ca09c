/** A person's decision on a card or a post that needs review. */
export const DECISIONS = ["approve", "request_change", "deny"] as const;
export type Decision = (typeof DECISIONS)[number];

export const CARD_STATUSES = ["pending", "approved", "change_requested", "denied"] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

export const POST_STATUSES = [
  "needs_review",
  "approved",
  "changes_requested",
  "declined",
  "published",
  "cancelled",
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** What a person can make of an approved post. */
export const POST_ENDS = ["published", "cancelled"] as const;
export type PostEnd = (typeof POST_ENDS)[number];

/** All moves, each made by a person. A decision is final, but an approval can be withdrawn while nothing has acted on it. */
export const CARD_MOVES = {
  pending: { approve: "approved", request_change: "change_requested", deny: "denied" },
} as const satisfies { pending: Record<Decision, CardStatus> };

export const POST_MOVES = {
  needs_review: { approve: "approved", request_change: "changes_requested", deny: "declined" },
  approved: { published: "published", cancelled: "cancelled" },
} as const satisfies { needs_review: Record<Decision, PostStatus>; approved: Record<PostEnd, PostStatus> };

/** What became of a decision, as events tell it. */
export const OUTCOME_OF = {
  approve: "approved",
  request_change: "change_requested",
  deny: "denied",
} as const satisfies Record<Decision, string>;
export const DECIDED = [...Object.values(OUTCOME_OF), "withdrawn"] as const;

/**
 * What needs a person's decision: answers, actions and audiences to approve, documents and posts to review, posts to publish.
 */
export const REVIEW_KINDS = ["answer", "action", "sequence", "card", "post", "publish"] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** The operations that decide on the review queue, each with its kind. */
export const DECIDED_BY = {
  approve_answer: "answer",
  cancel_answer: "answer",
  request_answer_change: "answer",
  approve_socialnet_action: "action",
  hold_socialnet_action: "action",
  request_action_change: "action",
  release_socialnet_action: "action",
  cancel_socialnet_action: "action",
  withdraw_socialnet_action: "action",
  apply_sequence_approval: "sequence",
  withdraw_sequence_approval: "sequence",
  decide_card: "card",
  withdraw_card: "card",
  decide_post: "post",
  withdraw_post: "post",
  mark_post: "publish",
} as const satisfies Record<string, ReviewKind>;

export function isDeciding(operation: string): operation is keyof typeof DECIDED_BY {
  return Object.hasOwn(DECIDED_BY, operation);
}

/** What became of a message since it was approved. */
export const MESSAGE_OUTCOMES = {
  waiting: "Not sent yet.",
  sending: "Being sent.",
  sent: "Sent.",
  not_needed: "The contact was connected already, so no request was sent.",
  saved_to_file: "Saved to a file instead of being sent.",
  failed: "Not sent, or rejected.",
  unconfirmed: "It isn't known whether the message was sent. A teammate must mark it as sent or not sent.",
  held: "On hold.",
  needs_review: "The message changed, or its approval was canceled, so it needs review again.",
  cancelled: "Canceled.",
} as const;
export type MessageOutcome = keyof typeof MESSAGE_OUTCOMES;

/** Kinds that can be approved several at a time, because each is one short text. */
export const TOGETHER = ["answer", "action", "card", "post"] as const satisfies readonly ReviewKind[];
