import { DEMO_MS, RESET_MS, SETUP_MS } from "../domain/visit.ts";
import type { LinkKind } from "../store/people.ts";
import type { Store } from "../store/store.ts";
import { DEMO_OWNER } from "./entrance.ts";
import { mintSecret } from "./secret.ts";

type Parts = { people: Store["people"]; url: string; now: number };

async function issue(
  { people, url, now }: Parts,
  kind: Exclude<LinkKind, "invitation">,
  personId: string | null,
  lasts: number,
) {
  const { token, hash } = mintSecret();
  await people.issue({ hash, kind, personId, memberId: null, createdAt: now, expiresAt: now + lasts });
  return `${url}/console/${kind === "reset" ? "reset" : "setup"}/${token}`;
}

/** The link that makes the owner, while there is none; a demo's lets in without any form, from this machine alone. */
export async function setupLink(parts: Parts, demo: boolean): Promise<string | null> {
  const known = demo ? await parts.people.findByEmail(DEMO_OWNER.email) : undefined;
  if (known !== undefined) return issue(parts, "demo", known.id, DEMO_MS);
  if (await parts.people.hasOwner()) return null;
  return demo ? issue(parts, "demo", null, DEMO_MS) : issue(parts, "setup", null, SETUP_MS);
}

export function resetLink(parts: Parts, personId: string): Promise<string> {
  return issue(parts, "reset", personId, RESET_MS);
}

/** A new invitation for a member who has not come in. */
export async function invitationLink({ people, url, now }: Parts, memberId: string, lasts: number): Promise<string> {
  const { token, hash } = mintSecret();
  await people.issue({
    ...{ hash, kind: "invitation", personId: null, memberId },
    ...{ createdAt: now, expiresAt: now + lasts },
  });
  return `${url}/console/invitation/${token}`;
}
