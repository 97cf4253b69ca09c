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

async function answerSession(ctx: Context, account: SocialnetAccountRow): Promise<z.infer<typeof SessionAnswer>> {
  const open = await ctx.store.socialnetAccounts.openReconnect(account.id);
  return { session: account.session, account: showAccount(account, ctx.now), reconnect: showReconnect(open) };
}

export const heartbeat = defineCommand({
  name: "heartbeat",
  does:
    "Reports the state of the browser session and whose profile is signed in. ready ends a hold for a login or a " +
    "captcha, and resolves an acknowledged reconnect. It does not end a hold for rate_limited.",
  next: "If session is ready, call brief. Otherwise call run_report and end the run: the account holder must act first.",
  takes: {
    session: z.enum(SOCIALNET_SESSIONS).describe("What you see in the browser."),
    profileUrl: fields.profileUrl.describe("The profile that is signed in, or the account's own if signed out."),
  },
  check: [({ profileUrl }) => isProfileUrl(profileUrl), { path: ["profileUrl"], error: NOT_A_PROFILE, when: always }],
  answers: SessionAnswer,
  example: { session: "ready", profileUrl: "https://socialnet.example/in/ada" },
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
  does: "Acknowledges a person's request to reconnect. Without an open request, nothing changes.",
  next: "Wait until the account holder has signed in. Then send heartbeat with session ready, which resolves the request.",
  takes: {},
  answers: SessionAnswer,
  example: {},
  async handler(ctx, account) {
    await ctx.store.socialnetAccounts.acknowledgeReconnect(account.id, ctx.now);
    return answerSession(ctx, account);
  },
});
