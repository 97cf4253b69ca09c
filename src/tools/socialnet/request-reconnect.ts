import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { ReconnectRequest, toRequest } from "./account-schema.ts";

export const requestReconnect = personOperation({
  name: "request_reconnect",
  area: "socialnet",
  title: "Request a sign-in",
  description:
    "Asks the account holder to sign in again, and tells the agent by an event. Another call renews an open " +
    "request and sends the event again. The request is resolved once the agent has acknowledged it and then " +
    "reports a ready session.",
  access: { permission: "work" },
  effect: "write",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account") }),
  output: ReconnectRequest,
  async handler(ctx, { account_id: accountId }) {
    const account = await ctx.store.socialnetAccounts.find(accountId);
    if (account === undefined) throw problem("socialnet_account_not_found");
    const before = await ctx.store.socialnetAccounts.openReconnect(accountId);
    const request = await ctx.store.socialnetAccounts.requestReconnect({
      id: ctx.newId(),
      accountId,
      requestedBy: ctx.actor.name,
      requestedAt: ctx.now,
    });
    if (request === undefined) throw problem("socialnet_account_not_found");
    const after = toRequest(request);
    await ctx.audit({ recordId: request.id, before: before === undefined ? null : toRequest(before), after });
    await ctx.emit("socialnet.reconnect.requested", {
      account_id: accountId,
      account_label: account.label,
      request_id: request.id,
    });
    return { data: after };
  },
});
