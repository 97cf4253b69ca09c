import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { SOCIALNET_SESSIONS, sessionNow } from "../../../domain/socialnet/account.ts";
import { afterReady, holdOf } from "../../../domain/socialnet/eligibility.ts";
import { iso } from "../../../lib/time.ts";
import { profileMismatch } from "../../../services/socialnet/accounts.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import { always } from "../../fields.ts";
import {
  AgentAccount,
  defineCommand,
  fields,
  isProfileUrl,
  NOT_A_PROFILE,
  Reconnect,
  showAccount,
  showReconnect,
} from "./shared.ts";

/** What heartbeat and reconnect_ack answer. */
export const SessionAnswer = z.object({
  session: z.enum(SOCIALNET_SESSIONS).nullable(),
  account: AgentAccount,
  reconnect: Reconnect,
});

const SESSION_EXAMPLE = {
  session: "ready" as const,
  account: {
    id: "0193a1f0-7c1e-7b0a-9f3e-2d6c5b4a3f21",
    label: "Ada",
    profileUrl: "https://socialnet.example/in/ada",
    automationMode: "approve_each" as const,
    timeZone: "Europe/Berlin",
    session: "ready" as const,
    sessionAt: "2026-11-20T09:00:00.000Z",
    held: null,
  },
  reconnect: null,
};

async function answerSession(ctx: Context, account: SocialnetAccountRow): Promise<z.infer<typeof SessionAnswer>> {
  const open = await ctx.store.socialnetAccounts.openReconnect(account.id);
  return { session: account.session, account: showAccount(account, ctx.now), reconnect: showReconnect(open) };
}

export const heartbeat = defineCommand({
  name: "heartbeat",
  does: "Tells the state of the browser session, and who is signed in. A ready one ends the account's hold, but that of rate_limited, and resolves a reconnect that was acknowledged.",
  takes: {
    session: z.enum(SOCIALNET_SESSIONS).describe("What the agent found its browser session to be."),
    profileUrl: fields.profileUrl,
  },
  check: [({ profileUrl }) => isProfileUrl(profileUrl), { path: ["profileUrl"], error: NOT_A_PROFILE, when: always }],
  answers: SessionAnswer,
  example: {
    takes: { session: "ready", profileUrl: "https://socialnet.example/in/ada" },
    answers: SESSION_EXAMPLE,
  },
  async handler(ctx, account, { session, profileUrl }) {
    const { socialnetAccounts } = ctx.store;
    const mismatch = profileMismatch(account, profileUrl);
    if (mismatch !== undefined) {
      // Another person is signed in, so nothing is known about a session of this account.
      await socialnetAccounts.setState(account.id, { ...sessionNow(account, null, ctx.now), sessionAt: ctx.now });
      await socialnetAccounts.touch(account.id, ctx.now);
      return { refusal: mismatch };
    }
    const ready = session === "ready";
    const hold = holdOf(account);
    const left = ready && hold !== null ? afterReady(hold, ctx.now) : hold;
    const state = {
      ...sessionNow(account, session, ctx.now),
      sessionAt: ctx.now,
      heldReason: left?.reason ?? null,
      heldUntil: left?.until ?? null,
      heldSince: left === null ? null : account.heldSince,
    };
    await socialnetAccounts.setState(account.id, state);
    if (state.heldReason !== account.heldReason) {
      const [before, after] = [account, state].map(({ heldReason }) => ({ held_reason: heldReason }));
      await ctx.audit({ recordId: account.id, before: before ?? null, after: after ?? null });
    }
    if (ready) {
      const resolved = await socialnetAccounts.resolveReconnect(account.id, ctx.now);
      if (resolved !== undefined) {
        const after = { resolved_at: iso(ctx.now) };
        await ctx.audit({ recordId: resolved.id, before: { resolved_at: null }, after });
      }
    }
    if (session !== account.session || state.heldReason !== account.heldReason)
      await socialnetAccounts.touch(account.id, ctx.now);
    return answerSession(ctx, { ...account, ...state });
  },
});

export const reconnectAck = defineCommand({
  name: "reconnect_ack",
  does: "Acknowledges a person's request to reconnect. The owner then signs in, privately; a ready heartbeat resolves the request. Without an open one, nothing happens.",
  takes: {},
  answers: SessionAnswer,
  example: {
    takes: {},
    answers: {
      ...SESSION_EXAMPLE,
      session: "login_required",
      reconnect: {
        requestId: "0193a1f0-9d3e-7c1b-8a4f-3e7d6c5b4a32",
        requestedAt: "2026-11-20T09:00:00.000Z",
        acknowledgedAt: "2026-11-20T09:01:00.000Z",
      },
    },
  },
  async handler(ctx, account) {
    await ctx.store.socialnetAccounts.acknowledgeReconnect(account.id, ctx.now);
    return answerSession(ctx, account);
  },
});
