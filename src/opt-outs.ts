import { type OptOut, readUnsubscribeToken } from "./mail/unsubscribe.ts";
import { stopContact } from "./rules/stop-contact.ts";
import { suppress } from "./rules/suppress.ts";
import type { AsSystem } from "./system.ts";
import type { Vault } from "./vault.ts";

/** What the link of a message does: it needs no sign-in, and works whatever the billing. */
export function createOptOuts(vault: Vault, asSystem: AsSystem) {
  return {
    readToken: (token: string) => readUnsubscribeToken(vault, token),
    /** Doing it again changes nothing. */
    unsubscribe: ({ workspaceId, contactId, address }: OptOut) =>
      asSystem(workspaceId, "unsubscribe", async (ctx) => {
        await suppress(ctx, { email: address, reason: "unsubscribe", stated: true, source: "unsubscribe_link" });
        // The contact may have another address by now: they were asked to be left alone at any.
        await stopContact(ctx, contactId, "suppressed");
      }),
  };
}
