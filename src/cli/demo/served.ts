import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Core } from "../../app.ts";
import type { Context } from "../../core/context.ts";
import { MCP_PATH } from "../../domain/access/oauth.ts";
import type { AttemptOutcome } from "../../domain/events/delivery.ts";
import { EVENT_NAMES } from "../../events/catalog.ts";
import { newWebhookSecret } from "../../events/sign.ts";
import { subscriptionId } from "../../events/subscription.ts";
import { createGrants } from "../../identity/oauth/grants.ts";
import { executeStep } from "../../services/outreach/engine.ts";
import { finishSend, type SendEnding } from "../../services/outreach/finish-send.ts";
import type { Principal } from "../../store/events.ts";
import { findOperation } from "../operator.ts";
import { FIRST_COLLEAGUE } from "./outreach.ts";
import { AGENT } from "./socialnet.ts";
import type { Act, Cast } from "./story.ts";

/** What the server itself did in the story: it sent, and it told who had subscribed. No network is asked for any of it. */
export interface Served extends Pick<Act, "ago" | "time"> {
  serve: (core: Core, workspaceId: string, the: Cast, now: () => number) => Promise<unknown>;
}

const HOOK = "https://hooks.rostrum.example/crm";
const AGENT_HOOK = "https://agent.rostrum.example/events";
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const inContext =
  (job: (ctx: Context, the: Cast) => Promise<unknown>): Served["serve"] =>
  (core, workspaceId, the) =>
    core.asSystem(workspaceId, "demo", (ctx) => job(ctx, the));

/** The engine's part: it takes the step that is due, and writes down how the message ended. */
function send(time: Act["time"], who: string, ending: (id: string) => SendEnding): Served {
  return {
    ...{ ago: 1, time },
    serve: inContext(async (ctx, the) => {
      const [enrollment] = (await ctx.store.enrollments.list({ contactId: the.id(who) }, { limit: 1, offset: 0 })).rows;
      const outgoing = await executeStep(ctx, enrollment?.id ?? "", (id) => `<rostrum.${id}@rostrum.example>`);
      if (!outgoing) throw new Error(`Nothing of the story is due to ${who}.`);
      await finishSend(ctx, outgoing.send, outgoing.body, ending(outgoing.send.id));
    }),
  };
}

const SENDS: readonly Served[] = [
  send("10:00", "amara.nwosu", (id) => ({
    ...{ status: "accepted", answer: "250 2.0.0 Ok: queued", messageId: `<rostrum.${id}@rostrum.example>` },
  })),
  send("10:05", "giulia.conti", () => ({
    ...{ status: "unknown", detail: "The connection broke off after the message, before an answer came." },
  })),
  send("10:10", "elin.johansson", () => ({
    ...{ status: "permanent", hard: false, detail: "552 5.2.2 The mailbox is full" },
  })),
];

async function subscribe(ctx: Context, principal: Principal, url: string, lasts: number | null): Promise<void> {
  for (const event of EVENT_NAMES) {
    const key = "keyId" in principal ? principal.keyId : principal.webhookId;
    const id = subscriptionId({ principal: key, url, event, arguments: {} });
    await ctx.store.subscriptions.upsert({
      ...{ id, principal, url, event, arguments: {}, accountId: null, secret: ctx.vault.seal(newWebhookSecret(), id) },
      ...{ verifiedAt: ctx.now, expiresAt: lasts && ctx.now + lasts, previousSecretUntil: null, now: ctx.now },
    });
  }
}

const SUBSCRIBERS: readonly Served[] = [
  {
    ...{ ago: 4, time: "9:00" },
    serve: inContext(async (ctx) => {
      const webhook = { id: randomUUID(), url: HOOK, events: EVENT_NAMES, createdBy: "root", createdAt: ctx.now };
      await ctx.store.webhooks.insert(webhook);
      await subscribe(ctx, { webhookId: webhook.id }, HOOK, null);
    }),
  },
  {
    ...{ ago: 1, time: "16:00" },
    serve: inContext((ctx, the) => subscribe(ctx, { keyId: the.id(AGENT.key) }, AGENT_HOOK, 30 * DAY_MS)),
  },
];

/** One round of attempts at everything that is due. */
function deliver(ago: number, time: Act["time"], outcome: AttemptOutcome, last = true): Served {
  return {
    ...{ ago, time },
    serve: async ({ store: { outbox } }, _workspaceId, _the, now) => {
      const at = now();
      const hosts = [HOOK, AGENT_HOOK].map((url) => ({ host: new URL(url).host, most: 100 }));
      const lease = randomUUID();
      const asked = { hosts, except: [], admits: () => true, lease, leaseMs: HOUR_MS, now: at };
      const { claimed } = await outbox.claim(asked);
      const taken = outcome === "2xx";
      await outbox.settle(
        claimed.map(({ seq }, i) => ({
          ...{ seq, lease, at, durationMs: taken ? 84 + 13 * i : 10_000, outcome, suspend: null },
          ...{ status: taken ? "delivered" : last ? "dead" : "pending", error: taken ? null : "http_5xx" },
          nextAttemptAt: taken || last ? null : at + 1,
        })),
      );
    },
  };
}

const emit = (ago: number, time: Act["time"]): Served => ({
  ...{ ago, time },
  serve: inContext((ctx, the) =>
    ctx.emit("socialnet.schedule.changed", {
      ...{ account_id: the.id(AGENT.account), account_label: AGENT.account, changed: ["windows"] },
    }),
  ),
});

/** A colleague signs in from an MCP client and lets it in: the client's part, and the code that becomes its key. */
const CONNECTED: Served = {
  ...{ ago: 4, time: "14:00" },
  serve: async ({ store, asSystem, invoke }, workspaceId, _the, now) => {
    const member = await store.read(workspaceId).members.findByEmail(FIRST_COLLEAGUE);
    if (member === undefined) throw new Error("The story has lost the colleague who lets a client in.");
    const clientId = `client_${randomBytes(16).toString("base64url")}`;
    const redirectUri = "http://127.0.0.1:8765/callback";
    const client = { id: clientId, name: "Desk assistant", redirectUris: [redirectUri], createdAt: now() };
    await store.clients.register(client, 1);
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const { id, name, role, approveOutbound } = member;
    const answer = await invoke(findOperation("approve_connector"), {
      caller: { kind: "member", id, name, workspaceId, role, approveOutbound },
      ...{ surface: "console", requestId: "demo" },
      input: () => ({
        ...{ client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge },
        new_account: { label: name, profile_url: "https://socialnet.example/in/tomoko-arai" },
      }),
    });
    if (answer.refusal !== undefined) throw answer.refusal;
    const { code } = (JSON.parse(answer.body) as { data: { code: string } }).data;
    const resource = await asSystem(workspaceId, "demo", async (ctx) => ctx.pageUrl(MCP_PATH));
    const key = await createGrants({ store, asSystem }).exchange({ code, verifier, clientId, redirectUri, resource });
    if (key === undefined) throw new Error("The story's client got no key for its code.");
  },
};

export const SERVED: readonly Served[] = [
  CONNECTED,
  ...SENDS,
  ...SUBSCRIBERS,
  ...[emit(3, "10:00"), deliver(3, "10:01", "5xx", false), deliver(3, "10:05", "2xx")],
  ...[emit(2, "11:00"), deliver(2, "11:01", "5xx", false), deliver(2, "11:30", "5xx", false)],
  ...[deliver(2, "12:30", "5xx")],
];
