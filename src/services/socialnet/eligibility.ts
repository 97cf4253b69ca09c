import type { Context } from "../../core/context.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import type { SequenceStatus } from "../../domain/outreach/sequence.ts";
import { ACCOUNT_HOLDS, type ActionKind } from "../../domain/socialnet/action.ts";
import {
  accountClock,
  BLOCKS,
  type Block,
  blockOf,
  type ClaimConditions,
  countClaimable,
  heldAt,
  holdOf,
  type Waiting,
} from "../../domain/socialnet/eligibility.ts";
import { iso } from "../../lib/time.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { stopContact } from "../outreach/enrollment.ts";
import { contactBlock, optOutSinceApproval, stopFormerOwner } from "../outreach/suppression.ts";
import { changeRecipient } from "./changed-actions.ts";

/** Everything that gates an account's actions now, with what was started today. */
export type AccountConditions = ClaimConditions & { started: Record<ActionKind, number> };

/** Reads what gates an account's actions, inside the caller's transaction: once for each call, then handed on. */
export async function claimConditions(ctx: Context, account: SocialnetAccountRow): Promise<AccountConditions> {
  const { socialnetActions, workspace } = ctx.store;
  const clock = accountClock(account, ctx.now);
  const { dayStart, monthStart } = clock.calendar;
  const { socialnetAllowance } = await workspace.plan();
  const started = await socialnetActions.startsSince(account.id, dayStart);
  const { pausedAt } = await workspace.pause();
  const limits = { connection_request: account.dailyConnectionRequests, message: account.dailyMessages };
  const held = heldAt(holdOf(account), ctx.now);
  return {
    now: ctx.now,
    activated: ctx.deployment.socialnetExecution === "on",
    gateOpen: ctx.deployment.outboundGate === "open",
    paused: pausedAt !== null,
    mode: account.automationMode,
    session: account.session,
    heldUntil: held === null ? undefined : held.until,
    ...clock,
    limits,
    started,
    remaining: {
      connection_request: Math.max(0, limits.connection_request - started.connection_request),
      message: Math.max(0, limits.message - started.message),
    },
    planAllowance: socialnetAllowance,
    planRemaining:
      socialnetAllowance === null
        ? null
        : Math.max(0, socialnetAllowance - (await socialnetActions.allStartsSince(monthStart))),
  };
}

/**
 * Why an action is refused, apart from its own status; else the conditions that allowed it. An outdated action is
 * updated when it is refused: what is open for an archived or suppressed contact stops, and an action whose recipient
 * changed needs approval again.
 *
 * @param then what the caller adds to a refusal that is not about the action itself
 */
export async function checkEligibility(
  ctx: Context,
  account: SocialnetAccountRow,
  action: ActionRow,
  then = "",
): Promise<{ refusal: Problem } | { conditions: AccountConditions }> {
  const record = await ctx.store.contacts.find(action.contactId);
  const stopped = await contactBlock(ctx.store, record);
  if (record === undefined || stopped !== undefined) {
    await stopContact(ctx, action.contactId, stopped ?? "archived");
    const note = record === undefined ? "The contact was archived." : "The contact is on the do-not-contact list.";
    return {
      refusal: refused("cancelled", `${note} The action is canceled. Skip it, and continue with the next one.`),
    };
  }
  const optOut = await optOutSinceApproval(ctx.store, action);
  if (optOut !== undefined) {
    await stopFormerOwner(ctx, action.contactId, optOut.email);
    const note = "The contact's earlier address is on the do-not-contact list.";
    return {
      refusal: refused("cancelled", `${note} The action is canceled. Skip it, and continue with the next one.`),
    };
  }
  const { socialnet_url: profile } = record.contact;
  if (profile === null || profileKey(profile) !== profileKey(action.recipientUrl)) {
    const changed = await changeRecipient(ctx, action, profile, false);
    return { refusal: refused("not_approved", `${changed} Skip it, and continue with the next one.`) };
  }
  const conditions = await claimConditions(ctx, account);
  const blocked = blockOf({ ...action, sequenceStatus: await statusOfSequence(ctx, action) }, conditions);
  if (blocked === null) return { conditions };
  const text = `${blockText(blocked.reason, account, conditions)}${then}`;
  return { refusal: refused(blocked.reason, text, blocked.nextAt) };
}

async function statusOfSequence({ store }: Context, { sequenceId }: ActionRow): Promise<SequenceStatus | null> {
  return sequenceId === null ? null : ((await store.sequences.find(sequenceId))?.status ?? null);
}

/** Names the gate too where it is closed, because nothing is sent until both are on. */
function notActivated(gateOpen: boolean): string {
  const settings = `ROSTRUM_SOCIALNET_EXECUTION=on${gateOpen ? "" : " and ROSTRUM_OUTBOUND_GATE=open"}`;
  return `Social sending is off on this server. The server admin can set ${settings}.`;
}

const BLOCKED: Record<Exclude<Block, "account_held" | "execution_not_activated">, string> = {
  held:
    "The action is on hold because its sequence is paused, a draft or archived. A teammate can activate the " +
    "sequence in the console. Then you can claim the action again.",
  session_not_ready:
    "The last heartbeat did not report session ready. After the account holder has signed in or solved the captcha, send " +
    "heartbeat with session ready.",
  automation_off: "The account is manual only. An admin can change its mode in the account's settings.",
  outside_window: "The account's sending hours are closed. An admin can change them in the account's settings.",
  daily_limit: "The account has reached its limit for today. An admin can raise it in the account's settings.",
  plan_quota: "The workspace has reached its plan's limit for this month. An admin can change the plan.",
};

/** Why nothing can be claimed. */
export const NOT_CLAIMABLE = [...BLOCKS, "no_approved_actions"] as const;

interface NotClaimable {
  reason: (typeof NOT_CLAIMABLE)[number];
  /** Who can change it. */
  fix: string;
  /** When it may change by time alone. */
  nextAt: number | null;
}

const NONE_APPROVED =
  "This account has no approved actions. A teammate can plan and approve actions in the console. Actions that you " +
  "claimed or started don't count. list_socialnet_actions shows them.";

const NO_LIMITS = { remaining: { connection_request: 1, message: 1 }, planRemaining: null };

/** Every reason why none of the waiting actions can be claimed now. Empty if one can. */
export function whyNoneClaimable(
  account: SocialnetAccountRow,
  waiting: readonly Waiting[],
  conditions: AccountConditions,
): NotClaimable[] {
  if (countClaimable(waiting, conditions) > 0) return [];
  const why = (reason: Block, nextAt: number | null) => ({
    reason,
    fix: blockText(reason, account, conditions),
    nextAt,
  });
  if (!conditions.activated) return [why("execution_not_activated", null)];
  if (waiting.length === 0) {
    // What blocks every action is worth knowing before the next one is approved.
    const always = blockOf(
      { kind: "message", origin: "member", sequenceStatus: null },
      { ...conditions, ...NO_LIMITS },
    );
    const none = { reason: "no_approved_actions", fix: NONE_APPROVED, nextAt: null } as const;
    return always === null ? [none] : [why(always.reason, always.nextAt), none];
  }
  const found = new Map<Block, number | null>();
  for (const group of waiting) {
    const blocked = blockOf(group, conditions);
    if (blocked === null) continue;
    const known = found.get(blocked.reason) ?? null;
    found.set(blocked.reason, earliest(known, blocked.nextAt));
  }
  return [...found].map(([reason, nextAt]) => why(reason, nextAt));
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

export const HOLD_REASONS = ["outbound_gate_closed", "outreach_paused", ...ACCOUNT_HOLDS] as const;
type HoldReason = (typeof HOLD_REASONS)[number];

const HOLD_FIXES: Record<HoldReason, string> = {
  outbound_gate_closed: "Sending is off on this server. The server admin can set ROSTRUM_OUTBOUND_GATE=open.",
  outreach_paused: "Outreach is paused for this workspace. An admin can resume it in the console.",
  login_required:
    "The account is on hold because the professional network asks for a sign-in. After the account holder has signed in, send heartbeat " +
    "with session ready.",
  captcha:
    "The account is on hold because the professional network shows a captcha. After the account holder has solved it, send heartbeat " +
    "with session ready.",
  rate_limited:
    "The account has reached the professional network's limit. Wait until the hold ends. It can't be shortened.",
};

/** Every hold on what an account sends, each with who can end it. */
export function holdsOn(
  account: SocialnetAccountRow,
  { gateOpen, paused, now }: Pick<ClaimConditions, "gateOpen" | "paused" | "now">,
) {
  const held = heldAt(holdOf(account), now);
  const holds: { reason: HoldReason; until: number | null }[] = [];
  if (!gateOpen) holds.push({ reason: "outbound_gate_closed", until: null });
  if (paused) holds.push({ reason: "outreach_paused", until: null });
  if (held !== null) holds.push(held);
  return holds.map((hold) => ({ ...hold, fix: HOLD_FIXES[hold.reason] }));
}

function blockText(reason: Block, account: SocialnetAccountRow, conditions: AccountConditions): string {
  if (reason === "execution_not_activated") return notActivated(conditions.gateOpen);
  if (reason !== "account_held") return BLOCKED[reason];
  return holdsOn(account, conditions)
    .map(({ fix }) => fix)
    .join(" ");
}

/** @throws Problem socialnet_refused while agents may not execute on this server: checked before anything else */
export function requireActivated({ deployment }: Context): void {
  if (deployment.socialnetExecution === "on") return;
  throw refused(
    "execution_not_activated",
    `Nothing was claimed or sent. ${notActivated(deployment.outboundGate === "open")} End the run. Don't retry.`,
  );
}

/** What helps a caller who has no account. A key is bound when it is created, and never later. */
export const UNBOUND =
  "This API key has no social account, and one can't be added later. Ask an admin to create a key for an account " +
  "in the console, under Settings → API keys. Or sign in from your MCP client and choose the account.";

/** What helps an agent that cannot execute at all. Null where nothing is missing. */
export function nextStep({ deployment }: Context, account: SocialnetAccountRow | undefined): string | null {
  if (account === undefined) return UNBOUND;
  return deployment.socialnetExecution === "on" ? null : notActivated(deployment.outboundGate === "open");
}

/** The account that the caller's key is bound to. Members and unbound keys have none. */
export async function accountOfAgent({ actor, store }: Context): Promise<SocialnetAccountRow | undefined> {
  if (actor.kind !== "key" || actor.socialnetAccountId === null) return undefined;
  return store.socialnetAccounts.find(actor.socialnetAccountId);
}

/** An action of the agent's own account. @throws Problem action_not_found */
export async function requireOwnAction(ctx: Context, account: SocialnetAccountRow, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined || action.accountId !== account.id) {
    throw problem(
      "action_not_found",
      `actionId: this account has no action "${id}". Use an id from list_socialnet_actions.`,
    );
  }
  return action;
}

/** Every reason of a 409 of the socialnet operations, in the order of the checks, and what it means. */
export const REASONS = {
  execution_not_activated: "Social sending is off: the server admin has not set `ROSTRUM_SOCIALNET_EXECUTION=on`.",
  unbound_agent: "The API key has no social account, so only `setup` works. An admin can create a key for an account.",
  profile_mismatch: "The profile is not the one of the key's account: another person is signed in.",
  held: "The action is on hold until a teammate releases it, or its sequence is not active. Skip it.",
  cancelled:
    "A teammate canceled the action, its enrollment ended, or its contact opted out, replied, was archived or is not interested.",
  already_claimed: "The action is claimed, and the claim has not expired.",
  stale_claim: "The token has no active claim. Don't send. Claim the action again if it is still approved.",
  not_started: "The claim was not started, so it can't have a result.",
  already_started: "The action was already started, with this token or another. Don't send again.",
  conflicting_result: "Another outcome was reported for this start, or a teammate has set the outcome.",
  not_approved: "The action's current version is not approved, or the recipient's profile changed after the approval.",
  session_not_ready: "The last heartbeat did not report session `ready`, or there was none yet.",
  account_held:
    "Outreach is paused, sending is off on this server, or the account is on hold because of a required sign-in, a " +
    "captcha or a limit of the professional network.",
  automation_off: "The account's mode is `off`. Only for actions of a sequence.",
  outside_window: "The account's sending hours are closed. Only for actions of a sequence.",
  daily_limit: "The account has reached its daily limit for this kind of action.",
  plan_quota: "The workspace has reached its plan's limit for this month.",
} as const;
export type Reason = keyof typeof REASONS;

/** The 409 of the socialnet actions: a reason, and where time will help, when. */
export function refused(reason: Reason, message: string, nextAt: number | null = null) {
  const next = nextAt === null ? {} : { nextWindowAt: iso(nextAt) };
  return problem("socialnet_refused", message, { extra: { reason, ...next } });
}
