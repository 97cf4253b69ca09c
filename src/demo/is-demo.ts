import { DEMO_OWNER } from "../auth/entrance.ts";
import type { Store } from "../store/store.ts";
import { DEMO_WORKSPACE } from "./fill.ts";
import { FIRST_COLLEAGUE } from "./outreach.ts";

/**
 * Whether all that this server holds is what `fillDemo` made: its one workspace, with a colleague of the story who
 * never comes in, or with its passwordless owner. Only that is let into without a password.
 */
export async function isDemo({ workspaces, people }: Pick<Store, "workspaces" | "people">): Promise<boolean> {
  const [only, ...more] = await workspaces();
  if (only?.name !== DEMO_WORKSPACE || more.length > 0) return false;
  const owner = await people.findByEmail(DEMO_OWNER.email);
  const known = owner === undefined ? people.invited(FIRST_COLLEAGUE) : people.memberships(owner.id);
  return (await known).some(({ workspaceId }) => workspaceId === only.id);
}
