import { createHash, randomBytes } from "node:crypto";

/** The token of a link, a session or an authorization code: 256 random bits. Handed out once, stored as a hash alone. */
export function mintSecret(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashSecret(token) };
}

/** How a token or an API key is stored and looked up: its SHA-256. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** `ros_live_` and 256 random bits in URL-safe base64. */
const API_KEY = /^ros_live_[A-Za-z0-9_-]{43}$/;
const DISPLAY_PREFIX_LENGTH = 14;

export interface MintedKey {
  /** Shown once, to the caller who creates it; never stored. */
  key: string;
  hash: Buffer;
  prefix: string;
}

export function mintKey(): MintedKey {
  const key = `ros_live_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashSecret(key), prefix: displayPrefix(key) };
}

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The part of an API key that may be shown and logged. */
export function displayPrefix(key: string): string {
  return key.slice(0, DISPLAY_PREFIX_LENGTH);
}
