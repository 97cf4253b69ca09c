import { REVIEW_KINDS, type ReviewKind } from "../../../domain/checklist/review.ts";
import { openingOf } from "../../../domain/time/calendar.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { seen } from "../../ui/diff.tsx";
import { inWords, statusInWords } from "../../ui/labels.ts";

export type Head = DataOf<"list_review">[number];
export type Whole = DataOf<"get_review">;
type Counts = Record<ReviewKind, number>;

/** So many of each kind stand in the queue; the rest come up as these are decided. */
const OF_EACH = 25;

export const KIND_NAMES: Record<ReviewKind, readonly [one: string, many: string]> = {
  action: ["Action", "Actions to approve"],
  sequence: ["Audience", "Audiences to put into force"],
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
}

export async function loadQueue({ call }: PageContext, limit = OF_EACH): Promise<Queue> {
  const { data, meta } = await call("list_review", { limit });
  return { heads: data, counts: meta.counts };
}

/** What stands around a thing: the account that would act, and what the contact said last. */
export interface Around {
  account: DataOf<"get_socialnet_account"> | undefined;
  said: DataOf<"list_activities">[number] | undefined;
}

const HEARD = ["email_reply", "socialnet_reply", "socialnet_message_received", "call_received", "meeting_completed"];
/** What was said before these is no longer why. */
const LATELY = 20;

/** Reads what stands around things of one page; an account that several belong to is read once. */
export function aroundThings({ call, may }: PageContext): (whole: Whole) => Promise<Around> {
  const accounts = new Map<string, Promise<Around["account"]>>();
  const accountOf = (id: string) => {
    const known = accounts.get(id) ?? call("get_socialnet_account", { account_id: id }).then(({ data }) => data);
    accounts.set(id, known);
    return known;
  };
  const saidBy = async (contactId: string) => {
    if (!may("list_activities")) return undefined;
    const lately = await call("list_activities", { contact_id: contactId, limit: LATELY }).catch(() => undefined);
    return lately?.data.find(({ type }) => HEARD.includes(type));
  };
  return async ({ action }) => {
    if (action === null) return { account: undefined, said: undefined };
    const [account, said] = await Promise.all([accountOf(action.account_id), saidBy(action.contact_id)]);
    return { account, said };
  };
}

/** Where j and k lead from a thing, and what is there at once after a decision. */
export function neighbours(heads: readonly Head[], at: Pick<Head, "kind" | "id">) {
  const i = heads.findIndex(({ kind, id }) => kind === at.kind && id === at.id);
  const next = heads[i + 1];
  const before = i > 0 ? heads[i - 1] : undefined;
  return { next, before, onward: next ?? before ?? (i === -1 ? heads[0] : undefined) };
}

/** What a thing is called, wherever it stands alone. */
export function headingOf({ action, card, post, sequence }: Whole): string {
  if (action !== null) return `${inWords(action.kind)} to ${seen(action.contact_name ?? "no name")}`;
  if (sequence !== null) return sequence.name;
  return seen(card?.title ?? post?.title ?? openingOf(post?.body ?? "")) || "No name";
}

export function statusOf({ action, card, post, approval }: Whole): string {
  return action?.status ?? card?.status ?? post?.status ?? approval?.status ?? "";
}

/** What something became by a decision, of each kind where that has a word of its own. */
const BECAME: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: { planned: "released", held: "held back", cancelled: "denied, and cancelled" },
  sequence: { applied: "put into force", voided: "denied, and withdrawn" },
  publish: { published: "recorded as published" },
};

export function becameInWords(kind: ReviewKind, status: string): string {
  return BECAME[kind]?.[status] ?? statusInWords(status).toLowerCase();
}

/** What that leads to, for whoever has just decided. */
const THEN: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: {
    approved: ": its account's agent may do it, once",
    planned: ", and waits here again",
    held: ": no agent gets it until somebody releases it",
  },
  sequence: { applied: ": its contacts can be enrolled" },
  card: { approved: ", and its item is recorded as done", change_requested: " with your note" },
  post: { approved: ", and waits here to be published", changes_requested: " with your note" },
  publish: { published: ", and its item is done" },
};

export function thenInWords(kind: ReviewKind, status: string): string {
  return THEN[kind]?.[status] ?? "";
}
