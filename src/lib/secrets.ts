import { hash, randomBytes } from "node:crypto";

/** 256 random bits for a link, a code or a session: shown or set once, and stored only as a hash. */
export function mintSecret(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashSecret(token) };
}

/** What is stored instead of a secret, so that reading the database does not reveal it. */
export function hashSecret(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

const KEY_PREFIX_LENGTH = 14;

export interface MintedKey {
  /** Shown once, to the person who created it; never stored. */
  key: string;
  hash: Buffer;
  prefix: string;
}

/** An API key: `ros_live_` and 256 random bits in URL-safe base64. */
export function mintKey(): MintedKey {
  const { token } = mintSecret();
  const key = `ros_live_${token}`;
  return { key, hash: hashSecret(key), prefix: keyPrefix(key) };
}

const KEY_FORM = /^ros_live_[A-Za-z0-9_-]*$/;
/** 32 bytes in base64url, after the prefix. */
const KEY_LENGTH = "ros_live_".length + 43;

/** What is wrong with the form of a key; undefined where its form is right. The key itself is not repeated. */
export function keyFault(key: string): string | undefined {
  const lengths = `expected ${KEY_LENGTH} characters, got ${key.length}`;
  if (key.length < KEY_LENGTH) return `The key is truncated: ${lengths}. Copy all of it again.`;
  if (key.length > KEY_LENGTH) return `The key is too long: ${lengths}. Copy it again.`;
  return KEY_FORM.test(key) ? undefined : "The key contains characters that no API key has. Copy it again.";
}

/** The part of a key that may be shown and logged. */
export function keyPrefix(key: string): string {
  return key.slice(0, KEY_PREFIX_LENGTH);
}
