import { z } from "zod";
import type { Scope } from "../domain/access/roles.ts";
import { DECIDED } from "../domain/checklist/review.ts";

const account = {
  account_id: z.guid().toLowerCase().meta({ format: "uuid", description: "The social account that it is about." }),
  account_label: z.string().max(200).describe("What the team calls the account."),
};

const aboutAccount = z.strictObject({
  account_id: account.account_id
    .optional()
    .describe("Only events of this social account. Default: all accounts that you can see."),
});

const aboutWorkspace = z.strictObject({});

interface EventType {
  description: string;
  /** Who may subscribe. */
  scope: Scope;
  arguments: typeof aboutAccount | typeof aboutWorkspace;
  payload: z.ZodType<object>;
}

const decided = {
  item_id: z.string().describe("The checklist item."),
  decision: z.enum(DECIDED).describe("withdrawn: an approval was withdrawn, and the decision is open again."),
  decided_at: z.iso.datetime(),
};

const defineEvent = <P extends EventType["payload"]>(event: EventType & { payload: P }) => event;

/** Whether a subscription to the event can be about one social account. */
export const isAboutAccount = (event: EventName) => EVENTS[event].arguments === aboutAccount;

/** Every event there is. Payloads are strict: ids, counts and the account's label, never a name, a profile or copy. */
export const EVENTS = {
  "socialnet.work.available": defineEvent({
    description:
      "The agent of a social account has work that it can claim now. Call socialnet_command with brief, then claim.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({
      ...account,
      claimable: z.int().min(1).describe("How many actions can be claimed now."),
    }),
  }),
  "socialnet.schedule.changed": defineEvent({
    description: "The account's sending hours, limits, mode or schedules changed. Call brief for what applies now.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({
      ...account,
      changed: z.array(z.enum(["windows", "limits", "mode", "schedules"])).min(1),
    }),
  }),
  "socialnet.reconnect.requested": defineEvent({
    description: "A person asks the account holder to sign in again. Acknowledge it with reconnect_ack.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({ ...account, request_id: z.guid().meta({ format: "uuid", description: "The request." }) }),
  }),
  "checklist.card.decided": defineEvent({
    description: "A person decided on a document. Read the note of a requested change with list_due_checklist_items.",
    scope: "social_checklist.read",
    arguments: aboutWorkspace,
    payload: z.strictObject({ card_id: z.guid().meta({ format: "uuid", description: "The card." }), ...decided }),
  }),
  "checklist.post.decided": defineEvent({
    description:
      "A person decided on a post. Read the note of a requested change in recent_posts of get_checklist_item_context.",
    scope: "social_checklist.read",
    arguments: aboutWorkspace,
    payload: z.strictObject({ post_id: z.guid().meta({ format: "uuid", description: "The post." }), ...decided }),
  }),
} as const satisfies Record<string, EventType>;

export type EventName = keyof typeof EVENTS;

declare module "../core/context.ts" {
  interface EventMap extends Payloads {}
}

type Payloads = { [N in EventName]: z.input<(typeof EVENTS)[N]["payload"]> };

export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]];

/** The scope that the named event needs, or undefined if there is no such event. */
export function scopeNamed({ name }: Readonly<Record<string, unknown>>): Scope | undefined {
  return typeof name === "string" && isEventName(name) ? EVENTS[name].scope : undefined;
}

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}
