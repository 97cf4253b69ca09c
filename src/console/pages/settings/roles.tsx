/** @jsxRuntime automatic @jsxImportSource preact */
import { mayGrant, ROLES, type Role } from "../../../domain/roles.ts";
import { inWords } from "../../names.ts";
import { Facts } from "../../parts/basics.tsx";

/** What each role may do, for whoever gives it: domain/roles.ts in words. */
const MAY: Record<Role, string> = {
  super_admin: "Does all that an admin does, adds further workspaces, and alone makes or changes another super admin.",
  org_admin: "May do the same as an admin.",
  owner: "May do the same as an admin. Whoever set this server up has it.",
  admin:
    "Does all that a rep does, and sets everything here: members, keys, webhooks, plan, sending, agents' accounts and their limits, the pause of outreach.",
  rep: "Does the daily work: contacts, deals, imports; writes and starts sequences; plans what agents do; decides what waits in Review, but for what is sent out.",
  viewer: "Reads contacts, deals, sequences, agents and the checklist, and changes nothing.",
};

/** The roles that a member of this one may give. */
export const roleChoices = (granter: Role) =>
  ROLES.filter((role) => mayGrant(granter, role)).map((role) => ({ value: role, label: inWords(role) }));

export function RolesExplained() {
  return (
    <div class="card stack">
      <p>
        Most teams need three: an <strong>admin</strong>, <strong>reps</strong> and <strong>viewers</strong>. Approving
        what is sent out is no role's own: it is given by name, beside the role.
      </p>
      <Facts facts={ROLES.map((role) => [inWords(role), MAY[role]] as const)} />
    </div>
  );
}
