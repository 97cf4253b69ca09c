import { REVIEW_KINDS, type ReviewKind } from "../../../domain/checklist/review.ts";
import { excerptOf } from "../../../domain/text/excerpt.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { codeLabel, revealed, statusLabel } from "../../ui/labels.ts";
import { isWithdrawal } from "./withdraw.tsx";

export type Head = DataOf<"list_review">[number];
export type Whole = DataOf<"get_review">;
type Counts = Record<ReviewKind, number>;

/** The queue shows this many of each kind, and a page of one kind has as many. */
const PER_KIND = 25;

export const KIND_NAMES: Record<ReviewKind, readonly [one: string, many: string]> = {
  action: ["Action", "Actions to approve"],
  sequence: ["Audience", "Audiences to activate"],
  card: ["Document", "Documents"],
  post: ["Post", "Posts"],
  publish: ["Post to publish", "Posts to publish"],
};

export function kindOf(text: string | undefined): ReviewKind | undefined {
  return REVIEW_KINDS.find((kind) => kind === text);
}

export const pathOf = ({ kind, id }: Pick<Head, "kind" | "id">) => `/review/${kind}/${id}` as const;

export interface Queue {
  heads: Head[];
  counts: Counts;
  /** Where the queue shows a page of one kind alone. */
  page: { kind: ReviewKind; offset: number; limit: number } | undefined;
}

export async function loadQueue({ call, query }: PageContext, limit = PER_KIND): Promise<Queue> {
  const page = queuePage(query, limit);
  const { data, meta } = await call("list_review", page ?? { limit });
  return { heads: data, counts: meta.counts, page };
}

function queuePage(query: URLSearchParams, limit: number): Queue["page"] {
  const kind = kindOf(query.get("queue") ?? undefined);
  const offset = Number(query.get("from") ?? 0);
  return kind && { kind, limit, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 };
}

/** The query of an address that keeps the queue at this page. */
export function queueQuery(page: Pick<NonNullable<Queue["page"]>, "kind" | "offset"> | undefined) {
  return page === undefined ? {} : { queue: page.kind, from: page.offset > 0 ? page.offset : undefined };
}

/** What a proposal is about: the account that would act, and the last reply of the contact. */
export interface Around {
  account: DataOf<"get_socialnet_account"> | undefined;
  lastReply: DataOf<"list_activities">[number] | undefined;
}

const REPLIES = ["email_reply", "socialnet_reply", "socialnet_message_received", "call_received", "meeting_completed"];
/** An older reply is no longer the reason. */
const RECENT_ENTRIES = 20;

/** Reads the surroundings of the proposals of one page. Each account is read once. */
export function surroundingsReader({ call, may }: PageContext): (whole: Whole) => Promise<Around> {
  const accounts = new Map<string, Promise<Around["account"]>>();
  const accountOf = (id: string) => {
    const known = accounts.get(id) ?? call("get_socialnet_account", { account_id: id }).then(({ data }) => data);
    accounts.set(id, known);
    return known;
  };
  const lastReplyOf = async (contactId: string) => {
    if (!may("list_activities")) return undefined;
    const recent = await call("list_activities", { contact_id: contactId, limit: RECENT_ENTRIES }).catch(
      () => undefined,
    );
    return recent?.data.find(({ type }) => REPLIES.includes(type));
  };
  return async ({ action }) => {
    if (action === null) return { account: undefined, lastReply: undefined };
    const [account, lastReply] = await Promise.all([accountOf(action.account_id), lastReplyOf(action.contact_id)]);
    return { account, lastReply };
  };
}

/** Where the keys j and k lead, and which proposal follows a decision. */
export function neighbours(heads: readonly Head[], at: Pick<Head, "kind" | "id">) {
  const i = heads.findIndex(({ kind, id }) => kind === at.kind && id === at.id);
  const next = heads[i + 1];
  const before = i > 0 ? heads[i - 1] : undefined;
  return { next, before, onward: next ?? before ?? (i === -1 ? heads[0] : undefined) };
}

/** The heading of a proposal. */
export function headingOf({ action, card, post, sequence }: Whole): string {
  if (action !== null) return `${codeLabel(action.kind)} to ${revealed(action.contact_name ?? "no name")}`;
  if (sequence !== null) return sequence.name;
  return revealed(card?.title ?? post?.title ?? excerptOf(post?.body ?? "")) || "No name";
}

/** Whether a page shows a part of an audience that waits. What is decided on it is that part. */
export function isPartial({ approval, audience_page: page }: Whole): boolean {
  return approval?.status === "approved" && page !== null && (page.hasMore || page.offset > 0);
}

export function statusOf({ action, card, post, approval }: Whole): string {
  return action?.status ?? card?.status ?? post?.status ?? approval?.status ?? "";
}

/** The result of a decision, where the kind has its own text for it. */
const BECAME: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: { planned: "released", held: "held back", cancelled: "denied, and cancelled" },
  sequence: { applied: "activated", voided: "denied, and withdrawn" },
  publish: { published: "recorded as published" },
};

export function decisionLabel(kind: ReviewKind, status: string, operation: string): string {
  if (isWithdrawal(operation)) return "approval withdrawn";
  return BECAME[kind]?.[status] ?? statusLabel(status).toLowerCase();
}

/** What follows from the decision, for the person who made it. */
const THEN: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: {
    approved: ": its account's agent may do it, once",
    planned: ", and it needs review again",
    held: ": no agent gets it until somebody releases it",
  },
  sequence: { applied: ": its contacts can be enrolled" },
  card: {
    approved: ", and its item is recorded as done",
    change_requested: " with your note",
    pending: ", and it needs review again",
  },
  post: {
    approved: ", and ready to publish",
    changes_requested: " with your note",
    needs_review: ", and it needs review again",
  },
  publish: { published: ", and its item is done" },
};

export function nextStepText(kind: ReviewKind, status: string): string {
  return THEN[kind]?.[status] ?? "";
}
