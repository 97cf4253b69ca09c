import { z } from "zod";
import type { Scope } from "../domain/access/roles.ts";

const account = {
  account_id: z.guid().toLowerCase().meta({ format: "uuid", description: "The socialnet account that it is about." }),
  account_label: z.string().max(200).describe("What the team calls the account."),
};

const aboutAccount = z.strictObject({
  account_id: account.account_id
    .optional()
    .describe("Only of this socialnet account; left out: of all that you may see."),
});

interface EventType {
  description: string;
  /** Who may subscribe. */
  scope: Scope;
  arguments: typeof aboutAccount;
  payload: z.ZodType<{ account_id: string; account_label: string }>;
}

const defineEvent = <P extends EventType["payload"]>(event: EventType & { payload: P }) => event;

/** Every event there is. Payloads are strict: ids, counts and the account's label, never a name, a profile or copy. */
export const EVENTS = {
  "socialnet.work.available": defineEvent({
    description:
      "The agent of a socialnet account has work that it can claim now. Call socialnet_command with brief, then claim.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({
      ...account,
      claimable: z.int().min(1).describe("How many actions can be claimed now."),
    }),
  }),
  "socialnet.schedule.changed": defineEvent({
    description: "A person changed when or how much the agent may act. Read the new rules with brief.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({
      ...account,
      changed: z.array(z.enum(["windows", "limits", "mode", "schedules"])).min(1),
    }),
  }),
  "socialnet.reconnect.requested": defineEvent({
    description: "A person asks that the account's owner signs in again. Acknowledge it with reconnect_ack.",
    scope: "socialnet.read",
    arguments: aboutAccount,
    payload: z.strictObject({ ...account, request_id: z.guid().meta({ format: "uuid", description: "The request." }) }),
  }),
} as const satisfies Record<string, EventType>;

export type EventName = keyof typeof EVENTS;

declare module "../core/context.ts" {
  interface EventMap extends Payloads {}
}

type Payloads = { [N in EventName]: z.input<(typeof EVENTS)[N]["payload"]> };

export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]];

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}
