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
  return { heads: data, counts: (meta as typeof meta & { counts: Counts }).counts };
}

/** What stands around a thing: the account that would act, and what the contact said last. */
export interface Around {
  account: DataOf<"get_socialnet_account"> | undefined;
  said: DataOf<"brain_contact">["activities"][number] | undefined;
}

const HEARD = ["email_reply", "socialnet_reply", "socialnet_message_received", "call_received", "meeting_completed"];

export async function loadAround({ call, may }: Visit, { action }: Whole): Promise<Around> {
  if (action === null) return { account: undefined, said: undefined };
  const [account, known] = await Promise.all([
    call("get_socialnet_account", { account_id: action.account_id }),
    may("brain_contact") ? call("brain_contact", { id: action.contact_id }).catch(() => undefined) : undefined,
  ]);
  return { account: account.data, said: known?.data.activities.find(({ type }) => HEARD.includes(type)) };
}

/** Where j and k lead from a thing, and what is there at once after a decision. */
export function neighbours(heads: readonly Head[], at: Pick<Head, "kind" | "id">) {
  const i = heads.findIndex(({ kind, id }) => kind === at.kind && id === at.id);
  const next = heads[i + 1];
  const before = i > 0 ? heads[i - 1] : undefined;
  return { next, before, onward: next ?? before ?? (i === -1 ? heads[0] : undefined) };
}
