import { REVIEW_KINDS, type ReviewKind } from "../../../domain/review.ts";
import type { DataOf } from "../../answers.ts";
import type { Visit } from "../../visit.ts";

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

export async function loadQueue({ call }: Visit, limit = OF_EACH): Promise<Queue> {
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
export function aroundThings({ call, may }: Visit): (whole: Whole) => Promise<Around> {
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
