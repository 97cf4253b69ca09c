import { z } from "zod";
import type { Actor, MemberActor } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { CHALLENGE, CODE_MS, isRegistered, MCP_PATH, type OAuthClient } from "../../domain/access/oauth.ts";
import { mintSecret } from "../../lib/secrets.ts";
import { iso } from "../../lib/time.ts";
import { requireRedirect } from "../../services/access/oauth-clients.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { accountFields } from "../socialnet/account-schema.ts";
import { addAccount } from "../socialnet/create-socialnet-account.ts";

export const approveConnector = personOperation({
  name: "approve_connector",
  area: "keys",
  title: "Connect an MCP client",
  description:
    "Lets an MCP client act for the approver's own social account. This is the last step of signing in from the " +
    "client. The client gets a code and exchanges it for its API key within a minute. The key is revoked when the " +
    "approver is removed, loses the permission approve_outbound or is no longer the account holder.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["client_not_found", "challenge_limit", "socialnet_account_not_found"],
  input: z
    .strictObject({
      client_id: z
        .string()
        .max(500)
        .describe("The client's id: registered on this server, or the URL of its metadata document."),
      redirect_uri: z
        .string()
        .max(2_000)
        .describe("The URL that receives the code. The client must have registered it."),
      code_challenge: z.string().regex(CHALLENGE).describe("The client's PKCE challenge (S256)."),
      socialnet_account_id: recordId("social account")
        .optional()
        .describe("The approver's own account, which the client will act for."),
      new_account: z
        .strictObject({ label: accountFields.label, profile_url: accountFields.profile_url })
        .optional()
        .describe("Alternatively, a new account to add for the approver. A person approves each of its actions."),
    })
    .refine(...exactlyOne("socialnet_account_id", "new_account")),
  output: z.object({
    id: z.uuid().describe("The id that the key will have once the code is exchanged."),
    connector_name: z.string(),
    socialnet_account_id: z.uuid(),
    expires_at: z.iso.datetime(),
    code: z.string().meta({ secret: true, description: "The code, shown only once." }),
  }),
  async prepare({ clients, actor }, { client_id, redirect_uri }) {
    const client = await clients.find(client_id, actor.id);
    requireRedirect(client, redirect_uri);
    return client;
  },
  async handler(ctx, input, client: OAuthClient) {
    const approver = requireMember(ctx.actor);
    const account = input.new_account
      ? await addAccount(ctx, { ...input.new_account, owner_member_id: approver.id })
      : await requireOwnAccount(ctx, approver, input.socialnet_account_id as string);
    const { token: code, hash } = mintSecret();
    const grant = {
      keyId: ctx.newId(),
      memberId: approver.id,
      clientId: client.id,
      connectorName: client.name,
      redirectUri: input.redirect_uri,
      resource: ctx.pageUrl(MCP_PATH),
      challenge: input.code_challenge,
      socialnetAccountId: account.id,
      createdAt: ctx.now,
      expiresAt: ctx.now + CODE_MS,
    };
    // A registration may have expired since it was looked up.
    if (!(await ctx.store.connectors.approve(grant, hash, isRegistered(client.id)))) throw problem("client_not_found");
    return {
      data: {
        id: grant.keyId,
        connector_name: client.name,
        socialnet_account_id: account.id,
        expires_at: iso(grant.expiresAt),
        code,
      },
    };
  },
});

/** The client's access ends with its approver, so there must be one. @throws Problem insufficient_scope */
function requireMember(actor: Actor): MemberActor {
  if (actor.kind === "member") return actor;
  throw problem(
    "insufficient_scope",
    "Only a signed-in teammate can connect a client. Create an API key with create_key instead.",
  );
}

/** @throws Problem socialnet_account_not_found, insufficient_scope */
async function requireOwnAccount(ctx: Context, { id }: MemberActor, accountId: string): Promise<{ id: string }> {
  const account = await requireAccount(ctx, accountId);
  if (account.ownerMemberId === id) return account;
  throw problem("insufficient_scope", "socialnet_account_id: is not your account. Ask an admin to assign it to you.");
}
