import { defineCommand } from "./command.ts";
import { answerSession, SESSION_EXAMPLE, SessionAnswer } from "./heartbeat.ts";

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
