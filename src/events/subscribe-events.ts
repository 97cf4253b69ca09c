import { z } from "zod";
import type { Actor, KeyActor } from "../core/actor.ts";
import { agentOperation } from "../core/operation.ts";
import { problem } from "../core/problem.ts";
import { DELIVERY_ERRORS } from "../domain/events/delivery.ts";
import { iso } from "../lib/time.ts";
import type { KeyRow } from "../store/access.ts";
import type { SubscriptionRow } from "../store/events.ts";
import { isAboutAccount, scopeNamed } from "./catalog.ts";
import { METHODS } from "./protocol.ts";
import { isWebhookSecret } from "./sign.ts";
import {
  accountOf,
  canonicalArguments,
  GRACE_MS,
  lifetime,
  MAX_PER_KEY,
  MAX_PER_WORKSPACE,
  requireEvent,
  subscriptionId,
  VERIFIED_MS,
} from "./subscription.ts";

const time = z.iso.datetime();

export const subscribeEvents = agentOperation({
  name: "subscribe_events",
  area: "events",
  title: "Subscribe to an event",
  description:
    "Subscribes a webhook to an event. Deliveries are signed with the secret given here (Standard Webhooks). The URL must first " +
    "answer a signed challenge. Subscribing again with the same event, URL and arguments renews the subscription: a new lifetime, a " +
    "new secret, and suspended delivery resumes. Renew it before refreshBefore, when it expires.",
  access: { scope: null },
  scopeFor: scopeNamed,
  tool: false,
  rpc: METHODS.subscribe,
  budget: "none",
  idempotent: false,
  effect: "write",
  errors: [
    ...(["event_not_found", "subscription_forbidden", "subscription_limit"] as const),
    ...(["challenge_limit", "delivery_mode_unsupported", "callback_failed"] as const),
  ],
  input: z.object({
    name: z.string().describe("The event's name, from list_events."),
    arguments: z.record(z.string(), z.unknown()).default({}).describe("Arguments that match the event's inputSchema."),
    delivery: z
      .object({
        mode: z.string().superRefine(requireWebhook).describe("The only mode is webhook."),
        url: z.string().max(2_000).describe("Where deliveries are POSTed: https, no credentials, no fragment."),
        secret: z
          .string()
          .refine(isWebhookSecret, "must be whsec_ followed by the base64 of 24 to 64 bytes")
          .meta({ secret: true, description: "Signs every delivery: `whsec_` and the base64 of 24 to 64 bytes." }),
      })
      .describe("How to deliver."),
    cursor: z.unknown().optional().describe("Accepted but ignored, because events have no replay."),
    maxAgeMs: z.unknown().optional().describe("Accepted but ignored, because events have no replay."),
    ttlMs: z
      .number()
      .nullish()
      .describe("How long to subscribe, from one minute to 7 days. Default: one day. null: 7 days."),
  }),
  output: z.object({
    id: z.string(),
    refreshBefore: time,
    cursor: z.null(),
    truncated: z.literal(false),
    deliveryStatus: z
      .object({
        active: z.boolean(),
        lastDeliveryAt: time.nullable(),
        lastError: z.enum(DELIVERY_ERRORS).nullable(),
        failedSince: time.optional(),
      })
      .optional(),
  }),
  async prepare({ actor, store, now, callbacks }, input) {
    const key = requireKey(actor);
    const event = requireEvent(input.name);
    const url = callbacks.check(input.delivery.url, "delivery.url");
    const given = canonicalArguments(event, input.arguments);
    const accountId = isAboutAccount(event) ? accountOf(key, given.account_id) : null;
    if (given.account_id !== undefined && (await store.socialnetAccounts.find(given.account_id)) === undefined) {
      throw problem("validation_failed", "arguments.account_id: is not the id of a social account in this workspace.");
    }
    const id = subscriptionId({ principal: key.id, url: url.href, event, arguments: given });
    const principal = { keyId: key.id };
    const verifiedAt = await store.subscriptions.verifiedAt(principal, url.href);
    const verified = verifiedAt !== undefined && now - verifiedAt < VERIFIED_MS;
    if (!verified) {
      // Checked before the challenge as well: a caller at its limit must not make this server send requests.
      if (!isLive(await store.subscriptions.find(id), now))
        requireCapacity(await store.subscriptions.count(principal, now));
      await callbacks.verify({ principal: key.id, subscriptionId: id, url, secret: input.delivery.secret });
    }
    return {
      id,
      principal,
      event,
      url: url.href,
      accountId,
      arguments: given,
      verifiedAt: verified ? verifiedAt : now,
    };
  },
  async handler(ctx, { delivery, ttlMs }, { id, principal, ...prepared }) {
    const { subscriptions } = ctx.store;
    // The challenge may have taken seconds.
    requireAccess(await ctx.store.keys.find(principal.keyId), ctx.now);
    const found = await subscriptions.find(id);
    const before = isLive(found, ctx.now) ? found : undefined;
    if (before === undefined) {
      requireCapacity(await subscriptions.count(principal, ctx.now));
      // An expired one that is not deleted yet loses its pending deliveries with it.
      await subscriptions.remove(id, principal, ctx.now);
    }
    const expiresAt = ctx.now + lifetime(ttlMs);
    const rotates = before !== undefined && ctx.vault.open(before.secret, id) !== delivery.secret;
    await subscriptions.upsert({
      ...prepared,
      id,
      principal,
      secret: ctx.vault.seal(delivery.secret, id),
      expiresAt,
      previousSecretUntil: rotates ? ctx.now + GRACE_MS : null,
      now: ctx.now,
    });
    const refreshed = { id, refreshBefore: iso(expiresAt), cursor: null, truncated: false as const };
    return { data: before === undefined ? refreshed : { ...refreshed, deliveryStatus: statusOf(before) } };
  },
});

/** Only keys have subscriptions: each ends with the key that created it. @throws Problem subscription_forbidden */
export function requireKey(actor: Actor): KeyActor {
  if (actor.kind === "key") return actor;
  throw problem(
    "subscription_forbidden",
    "Only an API key can subscribe. Use create_webhook to register a webhook as a person.",
    {
      extra: { reason: "key_required" },
    },
  );
}

/** Checked before url and secret, because a request for another mode has neither. */
function requireWebhook(mode: string): void {
  if (mode === "webhook") return;
  throw problem("delivery_mode_unsupported", "delivery.mode: must be webhook.", {
    extra: { feature: "deliveryMode", value: mode },
  });
}

/** @throws Problem subscription_forbidden */
function requireAccess(key: KeyRow | undefined, now: number): void {
  const expired = key?.expiresAt != null && key.expiresAt <= now;
  if (key?.revokedAt === null && !expired) return;
  throw problem(
    "subscription_forbidden",
    "This API key lost its access while the webhook URL was being verified. Create a new key.",
    {
      extra: { reason: expired ? "expired_key" : "revoked_key" },
    },
  );
}

function isLive(row: SubscriptionRow | undefined, now: number): row is SubscriptionRow {
  return row !== undefined && row.endedAt === null && (row.expiresAt === null || row.expiresAt > now);
}

function requireCapacity({ own, all }: { own: number; all: number }): void {
  const full =
    own >= MAX_PER_KEY ? ["key", MAX_PER_KEY] : all >= MAX_PER_WORKSPACE ? ["workspace", MAX_PER_WORKSPACE] : null;
  if (full === null) return;
  const [of, max] = full;
  throw problem("subscription_limit", `This ${of} has ${max} subscriptions, the maximum. Unsubscribe from one first.`, {
    extra: { limit: `subscriptions_per_${of}`, max },
  });
}

/** The delivery state so far. An upsert has just lifted a suspension. */
function statusOf({ lastDeliveryAt, lastError, failedSince }: SubscriptionRow) {
  return {
    active: true,
    lastDeliveryAt: lastDeliveryAt === null ? null : iso(lastDeliveryAt),
    lastError,
    ...(failedSince === null ? {} : { failedSince: iso(failedSince) }),
  };
}
