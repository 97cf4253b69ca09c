import { DEMO_LINK_MS, RESET_LINK_MS, SETUP_LINK_MS } from "../../domain/access/session-limits.ts";
import { mintSecret } from "../../lib/secrets.ts";
import type { Issuer, LinkKind } from "../../store/people.ts";
import type { Store } from "../../store/store.ts";

/** The owner of a demo server. */
export const DEMO_OWNER = { email: "robin@rostrum.example", name: "Robin Ashworth" };

interface LinkParts {
  people: Store["people"];
  /** The address that people reach this server by, without a trailing slash. */
  url: string;
  now: number;
  /** Who creates it for another person, for the audit. */
  by?: Issuer;
}

/**
 * The link that creates the owner; null if there is one already. A demo's link also signs in as the demo's owner, from
 * this machine alone.
 */
export async function setupLink(parts: LinkParts, demo: boolean): Promise<string | null> {
  const demoOwner = demo ? await parts.people.findByEmail(DEMO_OWNER.email) : undefined;
  if (demoOwner !== undefined) return issue(parts, "demo", { personId: demoOwner.id }, DEMO_LINK_MS);
  if (await parts.people.hasOwner()) return null;
  return demo ? issue(parts, "demo", {}, DEMO_LINK_MS) : issue(parts, "setup", {}, SETUP_LINK_MS);
}

export function resetLink(parts: LinkParts, personId: string): Promise<string> {
  return issue(parts, "reset", { personId }, RESET_LINK_MS);
}

/** A new invitation link for a pending member. It proves the address: only the operator or an email hands it out. */
export function invitationLink(parts: LinkParts, memberId: string, lifetimeMs: number): Promise<string> {
  return issue(parts, "invitation", { memberId }, lifetimeMs);
}

async function issue(
  { people, url, now, by }: LinkParts,
  kind: Exclude<LinkKind, "callback">,
  { personId = null, memberId = null }: { personId?: string | null; memberId?: string | null },
  lifetimeMs: number,
): Promise<string> {
  const { token, hash } = mintSecret();
  const link = { hash, kind, personId, memberId, shownTo: null, createdAt: now, expiresAt: now + lifetimeMs };
  await people.issue(link, by);
  return `${url}/console/${kind === "demo" ? "setup" : kind}/${token}`;
}
