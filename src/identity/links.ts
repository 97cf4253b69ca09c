import { createHash, randomBytes } from "node:crypto";
import { DEMO_MS, RESET_MS, SETUP_MS } from "../domain/access/session-limits.ts";
import type { Issuer, LinkKind } from "../store/people.ts";
import type { Store } from "../store/store.ts";
import { DEMO_OWNER } from "./sign-in.ts";

/** 256 random bits for a link or a session: shown or set once, and kept as a hash alone. */
export function mintSecret(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashSecret(token) };
}

export function hashSecret(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

interface Parts {
  people: Store["people"];
  url: string;
  now: number;
  /** Who makes it for somebody else. */
  by?: Issuer;
}

async function issue(
  { people, url, now, by }: Parts,
  kind: Exclude<LinkKind, "callback">,
  of: { personId?: string | null; memberId?: string },
  lasts: number,
) {
  const { token, hash } = mintSecret();
  const { personId = null, memberId = null } = of;
  const link = { hash, kind, personId, memberId, shownTo: null, createdAt: now, expiresAt: now + lasts };
  await people.issue(link, by);
  return `${url}/console/${kind === "demo" ? "setup" : kind}/${token}`;
}

/** The link that makes the owner, while there is none; a demo's lets in without any form, from this machine alone. */
export async function setupLink(parts: Parts, demo: boolean): Promise<string | null> {
  const known = demo ? await parts.people.findByEmail(DEMO_OWNER.email) : undefined;
  if (known !== undefined) return issue(parts, "demo", { personId: known.id }, DEMO_MS);
  if (await parts.people.hasOwner()) return null;
  return demo ? issue(parts, "demo", {}, DEMO_MS) : issue(parts, "setup", {}, SETUP_MS);
}

export function resetLink(parts: Parts, personId: string): Promise<string> {
  return issue(parts, "reset", { personId }, RESET_MS);
}

/** A new invitation for a member who has not come in, from whoever's word for the address counts. */
export function invitationLink(parts: Parts, memberId: string, lasts: number): Promise<string> {
  return issue(parts, "invitation", { memberId }, lasts);
}
