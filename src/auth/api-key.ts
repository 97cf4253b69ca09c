import { createHash, randomBytes } from "node:crypto";

/** `ros_live_` and 256 random bits in URL-safe base64. */
const SHAPE = /^ros_live_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 14;

export interface MintedKey {
  /** Shown once, to whoever made it; never stored. */
  key: string;
  hash: Buffer;
  prefix: string;
}

export function mintKey(): MintedKey {
  const key = `ros_live_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key), prefix: displayPrefix(key) };
}

export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** The part of a key that may be shown and logged. */
export function displayPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** The key of an Authorization header; undefined where there is none or it is not shaped like a key. */
export function bearerKey(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  return token !== undefined && SHAPE.test(token) ? token : undefined;
}
