import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { HEADER } from "./protocol.ts";

/** What signs one POST to a subscriber. */
export interface Signing {
  subscriptionId: string;
  /** One for each secret: several while one replaces another, the newest first. */
  signers: readonly Webhook[];
  /** The webhook-id. */
  id: string;
  body: string;
  /** Milliseconds since the epoch; signed as seconds. */
  at: number;
}

/** Reads the secret once. A signer keeps nothing of what it has signed. */
export function signerOf(secret: string): Webhook {
  return new Webhook(secret);
}

export function signedHeaders({ subscriptionId, signers, id, body, at }: Signing): Record<string, string> {
  return {
    "content-type": "application/json",
    [HEADER.id]: id,
    [HEADER.timestamp]: String(Math.floor(at / 1_000)),
    [HEADER.signature]: signers.map((signer) => signer.sign(id, new Date(at), body)).join(" "),
    [HEADER.subscription]: subscriptionId,
  };
}

const PREFIX = "whsec_";
const LEAST_BYTES = 24;
const MAX_BYTES = 64;

/** Whether a text is `whsec_` and the base64 of 24 to 64 bytes, as Standard Webhooks writes secrets. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64");
  const canonical = bytes.toString("base64");
  // Buffer skips characters that are not base64; some writers omit the padding.
  const clean = encoded === canonical || encoded === canonical.replaceAll("=", "");
  return clean && bytes.length >= LEAST_BYTES && bytes.length <= MAX_BYTES;
}

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}
