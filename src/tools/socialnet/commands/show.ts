import { z } from "zod";
import { type Actor, type Context, mayUse } from "../../../context.ts";
import { AUTOMATION_MODES, heldAt, SOCIALNET_SESSIONS } from "../../../domain/socialnet-account.ts";
import { ACCOUNT_HOLDS } from "../../../domain/socialnet-action.ts";
import { EVENT_NAMES, EVENTS } from "../../../events/catalog.ts";
import { holdOf } from "../../../rules/standing.ts";
import type { ReconnectRequest, SocialnetAccountRow } from "../../../store/socialnet.ts";
import { iso, isoOrNull, time } from "../../time.ts";

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
