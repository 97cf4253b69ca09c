import { REVIEW_KINDS, type ReviewKind } from "../../../domain/checklist/review.ts";
import { MESSAGES } from "../../../domain/outreach/conversation.ts";
import { excerptOf } from "../../../domain/text/excerpt.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { WorkspaceStatus } from "../../app/sidebar.ts";
import { codeLabel, nameOf, revealed, statusLabel } from "../../ui/labels.ts";
import { afterApprovalText } from "../socialnet/sending.ts";
import { isWithdrawal } from "./withdraw.tsx";

export type Head = DataOf<"list_review">[number];
export type Whole = DataOf<"get_review">;
type Counts = Record<ReviewKind, number>;

/** The queue shows this many of each kind, and a page of one kind has as many. */
const PER_KIND = 25;

export const KIND_NAMES: Record<ReviewKind, readonly [one: string, many: string]> = {
  answer: ["Answer", "Answers to send"],
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
  /** Set if the queue shows one kind only. */
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

/** The query that keeps the queue on this page. */
export function queueQuery(page: Pick<NonNullable<Queue["page"]>, "kind" | "offset"> | undefined) {
  return page === undefined ? {} : { queue: page.kind, from: page.offset > 0 ? page.offset : undefined };
}

/** The context of a proposal: the account that would act, and what the contact said last. */
export interface Around {
  account: DataOf<"get_socialnet_account"> | undefined;
  /** Newest first: the last reply, and what the contact said since, if that is recent. */
  said: DataOf<"list_activities">;
  /** The latest messages in both directions, newest first. */
  conversation: DataOf<"list_activities">;
}

export const NOTHING_AROUND: Around = { account: undefined, said: [], conversation: [] };

/** What a contact says without replying to a message. Unlike a reply, it is relevant only while it is recent. */
const SAID = ["socialnet_message_received", "call_received", "meeting_completed"];
const RECENT_ENTRIES = 20;
const SHOWN_MESSAGES = 8;

/** Reads the context of the proposals on one page. Each account is read once. */
export function surroundingsReader({ call, may }: PageContext): (whole: Whole) => Promise<Around> {
  const accounts = new Map<string, Promise<Around["account"]>>();
  const accountOf = (id: string) => {
    const known = accounts.get(id) ?? call("get_socialnet_account", { account_id: id }).then(({ data }) => data);
    accounts.set(id, known);
    return known;
  };
  const recentOf = async (contactId: string) => {
    if (!may("list_activities")) return [];
    const recent = await call("list_activities", { contact_id: contactId, limit: RECENT_ENTRIES }).catch(
      () => undefined,
    );
    return recent?.data ?? [];
  };
  return async ({ action, answer }) => {
    const contactId = (action ?? answer)?.contact_id;
    if (contactId === undefined) return NOTHING_AROUND;
    const [account, recent] = await Promise.all([
      action === null ? undefined : accountOf(action.account_id),
      recentOf(contactId),
    ]);
    const conversation = recent.filter(({ type }) => MESSAGES.has(type)).slice(0, SHOWN_MESSAGES);
    if (action === null) return { ...NOTHING_AROUND, conversation };
    const last = recent.find(({ type }) => SAID.includes(type));
    const { last_reply: reply, last_message: message } = action;
    const isNews = last !== undefined && (reply === null || last.created_at >= reply.created_at);
    const isOther = message !== null && message.id !== (isNews ? last.id : undefined);
    const said = [...(isNews ? [last] : []), ...(isOther ? [message] : []), ...(reply === null ? [] : [reply])];
    return { account, said, conversation };
  };
}

/** The targets of the shortcuts j and k, and the proposal after a decision. */
export function neighbors(heads: readonly Head[], at: Pick<Head, "kind" | "id">) {
  const i = heads.findIndex(({ kind, id }) => kind === at.kind && id === at.id);
  const next = heads[i + 1];
  const before = i > 0 ? heads[i - 1] : undefined;
  return { next, before, onward: next ?? before ?? (i === -1 ? heads[0] : undefined) };
}

/** Where a proposal is in the queue, from 1. The queue has the first few of each kind, and the kinds follow each other. */
export function positionOf({ heads, counts, page }: Queue, at: Pick<Head, "kind" | "id">) {
  const ofKind = heads.filter(({ kind }) => kind === at.kind);
  const i = ofKind.findIndex(({ id }) => id === at.id);
  if (i === -1) return undefined;
  if (page !== undefined) return { at: page.offset + i + 1, of: counts[at.kind] };
  const sum = (kinds: readonly ReviewKind[]) => kinds.reduce((total, kind) => total + counts[kind], 0);
  return { at: sum(REVIEW_KINDS.slice(0, REVIEW_KINDS.indexOf(at.kind))) + i + 1, of: sum(REVIEW_KINDS) };
}

/** The heading of a proposal. */
export function headingOf({ answer, action, card, post, sequence }: Whole): string {
  if (answer !== null)
    return `Answer to ${answer.contact === null ? revealed(answer.address) : nameOf(answer.contact)}`;
  if (action !== null) return `${codeLabel(action.kind)} to ${revealed(action.contact_name ?? "no name")}`;
  if (sequence !== null) return sequence.name;
  return revealed(card?.title ?? post?.title ?? excerptOf(post?.body ?? "")) || "No name";
}

/** Whether a teammate requested changes to a message that have not been made yet. */
export function needsChanges({ answer, action }: Whole): boolean {
  return answer?.status === "changes_requested" || (action !== null && action.change_requested_at !== null);
}

/** Whether a page shows only a part of an audience in review. A decision then covers that part. */
export function isPartial({ approval, audience_page: page }: Whole): boolean {
  return approval?.status === "approved" && page !== null && (page.hasMore || page.offset > 0);
}

export function statusOf({ answer, action, card, post, approval }: Whole): string {
  return answer?.status ?? action?.status ?? card?.status ?? post?.status ?? approval?.status ?? "";
}

/** Labels of decisions that differ from the label of the status. */
const DECISION_LABELS: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: { planned: "released", held: "put on hold" },
  sequence: { applied: "activated", voided: "rejected" },
  publish: { published: "marked as published" },
};

export function decisionLabel(kind: ReviewKind, status: string, operation: string): string {
  if (isWithdrawal(operation)) return "approval withdrawn";
  if (operation === "request_action_change") return "changes requested";
  return DECISION_LABELS[kind]?.[status] ?? statusLabel(status).toLowerCase();
}

/** An action with requested changes is on hold too. An edit releases it. */
const CHANGES_REQUESTED = " with your note. It needs review again once its text is edited";

/** What happens next, for the member who decided. What an approved action waits for is known only for each action. */
const NEXT_STEPS: Partial<Record<ReviewKind, Record<string, string>>> = {
  answer: {
    approved: ". You have at least 10 seconds to undo this",
    cancelled: ". The conversation is open again",
    changes_requested: " with your note. The conversation is open again",
  },
  action: {
    planned: ". It needs review again",
    held: ". The agent can't send it until a teammate releases it",
  },
  sequence: {
    applied: ". Contacts who were on hold for this approval continue in the sequence. The others can now be enrolled",
  },
  card: {
    approved: ". Its checklist item is done",
    change_requested: " with your note",
    pending: ". It needs review again",
  },
  post: {
    approved: ". It's ready to publish",
    changes_requested: " with your note",
    needs_review: ". It needs review again",
  },
  publish: { published: ". It counts toward its checklist item" },
};

export function nextStepText(
  { kind, action, item }: Whole,
  { status, operation }: { status: string; operation: string },
  { account }: Around,
  workspace: WorkspaceStatus,
) {
  if (action?.status === "approved" && account !== undefined)
    return `. ${afterApprovalText(action, account, workspace)}`;
  if (operation === "request_action_change") return CHANGES_REQUESTED;
  if (kind === "card" && status === "approved" && item?.kind !== "one_time")
    return item === null ? "" : ". It counts toward its checklist item";
  return NEXT_STEPS[kind]?.[status] ?? "";
}
