import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Core } from "../../composition/core.ts";
import { operatorLabel } from "../../core/actor.ts";
import { MCP_PATH } from "../../domain/access/oauth.ts";
import { EVENT_NAMES } from "../../events/catalog.ts";
import { newWebhookSecret } from "../../events/sign.ts";
import { subscriptionId } from "../../events/subscription.ts";
import { createGrants } from "../../identity/oauth/grants.ts";
import { hashPassword } from "../../identity/password.ts";
import { hashSecret } from "../../lib/secrets.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { receiveMail } from "../../services/inbox/receive.ts";
import { executeStep } from "../../services/outreach/engine.ts";
import { finishSend } from "../../services/outreach/finish-send.ts";
import { userName } from "../operator.ts";

/** The data that an operation answered with. */
export interface Made {
  id: string;
  [field: string]: unknown;
}

/** Where the acts of the demo are played. */
export interface Stage {
  core: Core;
  workspaceId: string;
  /** The clock of the story, in milliseconds. It moves on by one at each look. */
  now(): number;
  wait(ms: number): void;
  /** Calls an operation as the member or the key that `create_key` made; without one as the server's operator. */
  call(operation: string, input: unknown, as?: Made): Promise<Made>;
}

type Step = (stage: Stage, input: unknown, as?: Made) => Promise<unknown>;

function step<T extends z.ZodType>(
  input: T,
  run: (stage: Stage, input: z.infer<T>, as?: Made) => Promise<unknown>,
): Step {
  return (stage, raw, as) => run(stage, input.parse(raw), as);
}

/**
 * What acts may do besides calling an operation: work in several calls, and what the server does by itself. Nothing of it
 * reaches the network.
 */
export const STEPS: Readonly<Record<string, Step>> = {
  /** An agent carries out an approved action: it claims, starts and reports, a minute apart. */
  "agent.execute": step(
    z.strictObject({ action: z.string(), outcome: z.string(), evidence: z.string() }),
    async ({ call, wait }, { action: actionId, ...result }, as) => {
      const command = (name: string, fields: object) =>
        call("socialnet_command", { command: name, actionId, ...fields }, as);
      const { leaseToken } = await command("claim", {});
      wait(MINUTE_MS);
      await command("start", { leaseToken });
      wait(MINUTE_MS);
      await command("result", { leaseToken, ...result });
    },
  ),

  /** A person is invited, and joins with a password that no one knows: only the demo's owner can be signed in to. */
  "server.join": step(
    z.strictObject({ name: z.string(), email: z.email(), role: z.string(), approve_outbound: z.boolean().optional() }),
    async ({ core, call, now }, input) => {
      const { invitation_url, ...member } = await call("invite_member", input);
      const token = String(invitation_url).split("/").at(-1) ?? "";
      const joined = { passwordHash: await hashPassword(randomUUID()) };
      await core.store.people.accept(hashSecret(token), joined, { now: now(), newId: randomUUID });
      return member;
    },
  ),

  /** A member signs in from an MCP client: the client's part, and the code that becomes its key. */
  "member.connect": step(
    z.strictObject({ client: z.string(), redirect_uri: z.string(), new_account: z.unknown() }),
    async ({ core: { store, asSystem }, workspaceId, now, call }, { client: name, redirect_uri, new_account }, as) => {
      const clientId = `client_${randomBytes(16).toString("base64url")}`;
      await store.clients.register({ id: clientId, name, redirectUris: [redirect_uri], createdAt: now() }, 1);
      const verifier = randomBytes(32).toString("base64url");
      const code_challenge = createHash("sha256").update(verifier).digest("base64url");
      const { code } = await call(
        "approve_connector",
        { client_id: clientId, redirect_uri, code_challenge, new_account },
        as,
      );
      const resource = await asSystem(workspaceId, "demo", async (ctx) => ctx.pageUrl(MCP_PATH));
      const sent = { verifier, clientId, redirectUri: redirect_uri, resource, requestId: "demo" };
      const key = await createGrants({ store, asSystem }).exchange({ ...sent, code: String(code) });
      if (key === undefined) throw new Error("the client got no key for its code");
    },
  ),

  /** The engine takes the email step that is due to a contact, and writes down how the message ended. */
  "server.send": step(
    z.strictObject({
      contact: z.string(),
      ending: z.discriminatedUnion("status", [
        z.strictObject({ status: z.literal("accepted"), answer: z.string() }),
        z.strictObject({ status: z.literal("unknown"), detail: z.string() }),
        z.strictObject({ status: z.literal("permanent"), hard: z.boolean(), detail: z.string() }),
      ]),
    }),
    ({ core, workspaceId }, { contact, ending }) =>
      core.asSystem(workspaceId, "demo", async (ctx) => {
        const messageId = (sendId: string) => `<rostrum.${sendId}@rostrum.example>`;
        const { rows } = await ctx.store.enrollments.list({ contactId: contact }, { limit: 1, offset: 0 });
        const outgoing = await executeStep(ctx, rows[0]?.id ?? "", {
          from: undefined,
          messageIdFor: messageId,
          instance: "demo",
        });
        if (!outgoing) throw new Error("no email is due to this contact");
        const { send, body } = outgoing;
        const accepted = ending.status === "accepted" ? { ...ending, messageId: messageId(send.id) } : ending;
        await finishSend(ctx, send, body, accepted);
      }),
  ),

  /** A contact answers the email that was sent to them last, as the mailbox reads it. */
  "server.reply": step(
    z.strictObject({ contact: z.string(), text: z.string() }),
    ({ core, workspaceId }, { contact, text: excerpt }) =>
      core.asSystem(workspaceId, "demo", async (ctx) => {
        const { rows } = await ctx.store.sends.list({}, { limit: 100, offset: 0 });
        const send = rows.find(({ contactId }) => contactId === contact);
        if (send === undefined) throw new Error("no email was sent to this contact");
        const { address: from, subject, messageId } = send;
        const header = { from, subject: `Re: ${subject}`, messageId: `<${randomUUID()}@reply.example>` };
        await receiveMail(ctx, send, { kind: "reply", ...header, refersTo: [messageId], excerpt }, ctx.now);
      }),
  ),

  /** A URL is subscribed to every event: as a webhook, or by a key for some days. It counts as verified. */
  "server.subscribe": step(
    z.strictObject({ url: z.url(), key: z.string().optional(), days: z.int().optional() }),
    ({ core, workspaceId }, { url, key, days }) =>
      core.asSystem(workspaceId, "demo", async (ctx) => {
        const by = key ?? randomUUID();
        const principal = key === undefined ? { webhookId: by } : { keyId: by };
        if (key === undefined) {
          await ctx.store.webhooks.insert({
            id: by,
            url,
            events: EVENT_NAMES,
            createdBy: operatorLabel(userName()),
            createdAt: ctx.now,
          });
        }
        for (const event of EVENT_NAMES) {
          const id = subscriptionId({ principal: by, url, event, arguments: {} });
          await ctx.store.subscriptions.upsert({
            id,
            principal,
            url,
            event,
            arguments: {},
            accountId: null,
            secret: ctx.vault.seal(newWebhookSecret(), id),
            verifiedAt: ctx.now,
            expiresAt: days === undefined ? null : ctx.now + days * DAY_MS,
            previousSecretUntil: null,
            now: ctx.now,
          });
        }
      }),
  ),

  /** The sending hours of an account changed, as reported to subscribers. */
  "server.tell_schedule": step(
    z.strictObject({ account_id: z.string(), account_label: z.string() }),
    ({ core, workspaceId }, account) =>
      core.asSystem(workspaceId, "demo", (ctx) =>
        ctx.emit("socialnet.schedule.changed", { ...account, changed: ["windows"] }),
      ),
  ),

  /** One round of attempts at every delivery that is due to a host. */
  "server.deliver": step(
    z.strictObject({ host: z.string(), outcome: z.enum(["2xx", "5xx"]), retry: z.boolean().default(false) }),
    async ({ core, now }, { host, outcome, retry }) => {
      const at = now();
      const lease = randomUUID();
      const hosts = [{ host, most: 100 }];
      const asked = { hosts, except: [], admits: () => true, lease, leaseMs: HOUR_MS, now: at };
      const { claimed } = await core.store.outbox.claim(asked);
      const delivered = outcome === "2xx";
      await core.store.outbox.settle(
        claimed.map(({ seq }, index) => ({
          seq,
          lease,
          at,
          durationMs: delivered ? 84 + 13 * index : 10_000,
          outcome,
          suspend: null,
          status: delivered ? "delivered" : retry ? "pending" : "dead",
          error: delivered ? null : "http_5xx",
          nextAttemptAt: retry ? at + 1 : null,
        })),
      );
    },
  ),
};
