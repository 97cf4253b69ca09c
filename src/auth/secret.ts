import { createHash, randomBytes } from "node:crypto";

/** 256 random bits for a link or a session: shown or set once, and kept as a hash alone. */
export function mintSecret(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashSecret(token) };
}

export function hashSecret(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
