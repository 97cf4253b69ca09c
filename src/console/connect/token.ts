import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const sign = (session: Buffer, nonce: string, subject: string) =>
  createHmac("sha256", session).update(`consent ${nonce} ${subject}`).digest("base64url");

/** What only a page drawn for this session can hold; nothing of it is kept. */
export function consentToken(session: Buffer, subject: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${sign(session, nonce, subject)}`;
}

export function isConsentToken(token: string, session: Buffer, subject: string): boolean {
  const [nonce = "", given = ""] = token.split(".");
  const expected = sign(session, nonce, subject);
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
