import type { Attempted } from "../domain/events/delivery.ts";
import type { GuardedClient } from "../lib/http-client/client.ts";
import { CallError } from "../lib/http-client/errors.ts";
import { SECOND_MS } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import type { ClaimedDelivery } from "../store/events.ts";
import { signedHeaders, signerOf } from "./sign.ts";

/** Opening a secret costs as much as the rest of signing, so the signers last used are kept. */
const MAX_SIGNERS = 500;

type Deliver = (delivery: ClaimedDelivery, now: number, signal: AbortSignal) => Promise<Attempted>;

/**
 * POSTs a claimed delivery and returns the result. The bytes are those of the outbox; the signature is new at each
 * attempt. The endpoint's answer body is never kept. When the signal aborts it, it throws the signal's reason: the
 * endpoint may or may not have received the delivery.
 */
export function createDeliver({ client, vault }: { client: Pick<GuardedClient, "post">; vault: Vault }): Deliver {
  const signer = keptSigners(vault);

  return async ({ url, eventId, body, subscription }, now, signal) => {
    const { id, secret, previousSecret, previousSecretUntil } = subscription;
    const sealed = previousSecret !== null && (previousSecretUntil ?? 0) > now ? [secret, previousSecret] : [secret];
    const signers = sealed.map((text) => signer(text, id));
    const headers = signedHeaders({ subscriptionId: id, signers, id: eventId, body, at: now });
    try {
      const answer = await client.post(new URL(url), { headers, body, read: 0, signal });
      return { status: answer.status, retryAfterMs: retryAfter(answer.headers.retryAfter, now) };
    } catch (error) {
      if (error instanceof CallError) return { failed: error.reason };
      throw error;
    }
  };
}

/** Sealing is never the same twice, so the sealed text names its secret. */
function keptSigners(vault: Vault): (sealed: string, purpose: string) => ReturnType<typeof signerOf> {
  const kept = new Map<string, ReturnType<typeof signerOf>>();
  return (sealed, purpose) => {
    const signer = kept.get(sealed) ?? signerOf(vault.open(sealed, purpose));
    kept.delete(sealed);
    kept.set(sealed, signer);
    const [oldest] = kept.keys();
    if (kept.size > MAX_SIGNERS && oldest !== undefined) kept.delete(oldest);
    return signer;
  };
}

/** Milliseconds to wait: the header gives seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(header: string | undefined, now: number): number | undefined {
  // Spaces around a value are not a part of it (RFC 9110, 5.5).
  const value = header?.trim();
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
