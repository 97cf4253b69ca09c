import { z } from "zod";
import type { Actor } from "../../../core/actor.ts";
import type { Context } from "../../../core/context.ts";
import type { Refused } from "../../../core/operation.ts";
import { mayUse } from "../../../core/policy.ts";
import { profileKey } from "../../../domain/contacts/address.ts";
import { AUTOMATION_MODES, SOCIALNET_SESSIONS } from "../../../domain/socialnet/account.ts";
import { ACCOUNT_HOLDS } from "../../../domain/socialnet/action.ts";
import { heldAt, holdOf } from "../../../domain/socialnet/eligibility.ts";
import { EVENT_NAMES, EVENTS } from "../../../events/catalog.ts";
import type { JsonText } from "../../../lib/json-text.ts";
import { iso, isoOrNull, MINUTE_MS } from "../../../lib/time.ts";
import type { ReconnectRequest, SocialnetAccountRow } from "../../../store/socialnet.ts";
import { givenTime, time } from "../../fields.ts";
import type { SocialnetAction } from "../action-schema.ts";

/** One command of an agent: what it takes in addition to its name, and what it answers. */
export interface AgentCommand<
  N extends string = string,
  I extends z.ZodRawShape = z.ZodRawShape,
  O extends z.ZodType = z.ZodType,
> {
  name: N;
  /** What it does, in a sentence or two: for a model and a person alike. */
  does: string;
  takes: I;
  /** A condition between its fields, and the message where it does not hold. */
  check?: [(input: z.output<z.ZodObject<I>>) => boolean, { path: string[]; error: string; when: () => boolean }];
  answers: O;
  example: { takes: z.input<z.ZodObject<I>>; answers: z.input<O> };
  /** Writes nothing. */
  reads?: true;
  /** Leads to an execution: refused before any other check while agents may not execute on this server. */
  executes?: true;
  handler(
    ctx: Context,
    account: SocialnetAccountRow,
    input: z.output<z.ZodObject<I>>,
  ): Promise<z.output<O> | JsonText<z.output<O>> | Refused>;
}

/** The identity, for inference. */
export function defineCommand<N extends string, I extends z.ZodRawShape, O extends z.ZodType>(
  command: AgentCommand<N, I, O>,
): AgentCommand<N, I, O> {
  return command;
}

/** What several commands take. */
export const fields = {
  actionId: z.guid().toLowerCase().meta({ format: "uuid", description: "The action." }),
  leaseToken: z.guid().toLowerCase().meta({ format: "uuid", description: "What the claim answered." }),
  profileUrl: z.string().min(1).max(500).describe("The address of a profile on the social network."),
  evidence: z.string().trim().min(1).max(2_000).describe("What the agent saw, in its own words."),
  time: givenTime,
};

/** Whether the agent's own profile is one: what is no text is refused by the field itself. */
export const isProfileUrl = (url: unknown) => typeof url !== "string" || url === "" || profileKey(url) !== null;
export const NOT_A_PROFILE = "is not a URL; send the address of the signed-in profile, https://…";

/** How far a caller's clock may run ahead of the server's. */
export const AHEAD_MS = 5 * MINUTE_MS;

/** The account as its agent sees it. */
export const AgentAccount = z.object({
  id: z.uuid(),
  label: z.string(),
  profileUrl: z.string(),
  automationMode: z.enum(AUTOMATION_MODES),
  timeZone: z.string(),
  session: z.enum(SOCIALNET_SESSIONS).nullable(),
  sessionAt: time.nullable(),
  held: z.object({ reason: z.enum(ACCOUNT_HOLDS), until: time.nullable() }).nullable(),
});

export function showAccount(account: SocialnetAccountRow, now: number): z.infer<typeof AgentAccount> {
  const held = heldAt(holdOf(account), now);
  return {
    id: account.id,
    label: account.label,
    profileUrl: account.profileUrl,
    automationMode: account.automationMode,
    timeZone: account.timeZone,
    session: account.session,
    sessionAt: isoOrNull(account.sessionAt),
    held: held && { reason: held.reason, until: isoOrNull(held.until) },
  };
}

export const Reconnect = z
  .object({ requestId: z.uuid(), requestedAt: time, acknowledgedAt: time.nullable() })
  .nullable()
  .describe("A person's open request that the owner signs in again.");

export function showReconnect(request: ReconnectRequest | undefined): z.infer<typeof Reconnect> {
  if (request === undefined) return null;
  return {
    requestId: request.id,
    requestedAt: iso(request.requestedAt),
    acknowledgedAt: isoOrNull(request.acknowledgedAt),
  };
}

export const Health = z
  .object({ observedAt: time, expiresAt: time, fresh: z.boolean() })
  .nullable()
  .describe("The newest measurement of the sender; it counts as evidence for 24 hours.");

/** Of a stored answer: whether it still counts. */
function freshness(answer: string, now: number): NonNullable<z.infer<typeof Health>> {
  const { observedAt, expiresAt } = JSON.parse(answer) as { observedAt: string; expiresAt: string };
  return { observedAt, expiresAt, fresh: now < Date.parse(expiresAt) };
}

export async function showHealth(ctx: Context, accountId: string): Promise<z.infer<typeof Health>> {
  const [newest] = await ctx.store.socialnetReports.health(accountId, 1);
  return newest === undefined ? null : freshness(newest, ctx.now);
}

export const Instructions = z.object({ version: z.string(), text: z.string() });

/** The names of the events that the caller may subscribe to. */
export function subscribable(actor: Actor): string[] {
  return EVENT_NAMES.filter((name) => mayUse(actor, { access: { scope: EVENTS[name].scope }, effect: "read" }));
}

export const ACTION_EXAMPLE: SocialnetAction = {
  id: "0193a1f0-aa4f-7d2c-9b5a-4f8e7d6c5b43",
  kind: "message",
  origin: "member",
  status: "approved",
  account: { id: "0193a1f0-7c1e-7b0a-9f3e-2d6c5b4a3f21", label: "Ada" },
  recipient: {
    contactId: "0193a1f0-8d2f-7c1b-8a4f-3e7d6c5b4a32",
    name: "Grace Hopper",
    company: "Flow-Matic",
    profileUrl: "https://socialnet.example/in/grace",
  },
  copy: "Thank you for connecting. May I show you what we build?",
  context: null,
  blockedBy: null,
  outcome: null,
  approvedAt: "2026-11-20T08:55:00.000Z",
  createdAt: "2026-11-20T08:50:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};
