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
import { AGENT_INSTRUCTIONS } from "../../../services/socialnet/instructions.ts";
import type { ReconnectRequest, SocialnetAccountRow } from "../../../store/socialnet.ts";
import { givenTime, time } from "../../fields.ts";

/** One command of an agent: what it takes in addition to its name, and what it answers. */
export interface AgentCommand<
  N extends string = string,
  I extends z.ZodRawShape = z.ZodRawShape,
  O extends z.ZodType = z.ZodType,
> {
  name: N;
  /** What it does, in a sentence or two, for models and people. */
  does: string;
  /** What to do after it, whatever it answers. */
  next: string;
  takes: I;
  /** A condition between its fields, and the message where it does not hold. */
  check?: [(input: z.output<z.ZodObject<I>>) => boolean, { path: string[]; error: string; when: () => boolean }];
  answers: O;
  /** An example of what it takes. */
  example: z.input<z.ZodObject<I>>;
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

/** A UUID that another call returned. */
const commandId = (origin: string) =>
  z.guid({ error: ({ code }) => (code === "invalid_format" ? `must be the UUID ${origin}` : undefined) });

/** What several commands take. */
export const fields = {
  actionId: commandId("listed by list_socialnet_actions")
    .toLowerCase()
    .meta({ format: "uuid", description: "From list_socialnet_actions." }),
  leaseToken: commandId("returned by claim").toLowerCase().meta({ format: "uuid", description: "From claim." }),
  profileUrl: z.string().min(1).max(500).describe("The URL of a profile on the professional network."),
  evidence: z.string().max(2_000).trim().min(1).describe("What you saw, in your own words."),
  time: givenTime,
};

/** Whether the agent's own profile is one: what is no text is refused by the field itself. */
export const isProfileUrl = (url: unknown) => typeof url !== "string" || url === "" || profileKey(url) !== null;
export const NOT_A_PROFILE = "is not a URL. Send the address of the signed-in profile: https://…";

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
  .describe("An open request from a person: the account holder must sign in again. Null if there is none.");

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
  .describe(
    "The newest health observation. For 24 hours it counts as the account's current health. Null if there is none.",
  );

/** Of a stored answer: whether it still counts. */
function freshness(answer: string, now: number): NonNullable<z.infer<typeof Health>> {
  const { observedAt, expiresAt } = JSON.parse(answer) as { observedAt: string; expiresAt: string };
  return { observedAt, expiresAt, fresh: now < Date.parse(expiresAt) };
}

export async function showHealth(ctx: Context, accountId: string): Promise<z.infer<typeof Health>> {
  const [newest] = await ctx.store.socialnetReports.health(accountId, 1);
  return newest === undefined ? null : freshness(newest, ctx.now);
}

export const Instructions = z.object({
  version: z.string(),
  text: z.string().nullable().describe("Null if you sent the current version as instructionsVersion."),
});

/** The agent instructions, without the text for a caller who has it. */
export function showInstructions(known?: string): z.infer<typeof Instructions> {
  const { version, text } = AGENT_INSTRUCTIONS;
  return { version, text: known === version ? null : text };
}

/** What to do now. */
export const NextStep = z.string().describe("What to do now.");

/** The names of the events that the caller may subscribe to. */
export function subscribable(actor: Actor): string[] {
  return EVENT_NAMES.filter((name) => mayUse(actor, { access: { scope: EVENTS[name].scope }, effect: "read" }));
}

export const ACTION_ID_EXAMPLE = "0193a1f0-aa4f-7d2c-9b5a-4f8e7d6c5b43";
export const LEASE_TOKEN_EXAMPLE = "9b2d3c4e-5f60-4a1b-8c2d-3e4f5a6b7c8d";
