import { randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/** Whether a text is `whsec_` and the base64 of 24 to 64 bytes, as Standard Webhooks writes secrets. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64");
  const canonical = bytes.toString("base64");
  // Buffer reads past whatever is no base64; some write it without the padding.
  const clean = encoded === canonical || encoded === canonical.replace(/=+$/, "");
  return clean && bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES;
}

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}
