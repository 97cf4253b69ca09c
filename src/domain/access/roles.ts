/** Who may do what through member access. `approve_outbound` is granted to a member and belongs to no role. */
export const ROLES = ["super_admin", "org_admin", "owner", "admin", "rep", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export type Permission = "operate" | "administer" | "work" | "view" | "approve_outbound";

const ADMINISTRATOR: readonly Permission[] = ["administer", "work", "view"];

const PERMISSIONS: Record<Role, readonly Permission[]> = {
  super_admin: ["operate", ...ADMINISTRATOR],
  org_admin: ADMINISTRATOR,
  owner: ADMINISTRATOR,
  admin: ADMINISTRATOR,
  rep: ["work", "view"],
  viewer: ["view"],
};

/** The roles that at least one member of a workspace must have. */
export const ADMINISTRATORS = ROLES.filter((role) => PERMISSIONS[role].includes("administer"));

/**
 * Whether a member of the first role may grant, change and remove the second. No member can raise themselves to the
 * highest role.
 */
export function mayGrant(granter: Role, role: Role): boolean {
  return granter === "super_admin" || role !== "super_admin";
}

/** Whether a member of this role, with or without the grant to approve sends, holds the permission. */
export function memberMay(role: Role, approveOutbound: boolean, permission: Permission): boolean {
  return permission === "approve_outbound" ? approveOutbound : PERMISSIONS[role].includes(permission);
}

/** The scopes of API access. Deny by default: none implies another. */
export const SCOPES = {
  "contacts.read": "List, get and query contacts; everything about a contact, company or deal over MCP (brain_*).",
  "contacts.write": "Create, assert and update contacts; add tags.",
  "sequences.read": "List sequences.",
  "sequences.write": "Enroll a contact.",
  "deals.write": "Create a deal.",
  "activities.write": "Log an activity.",
  "suppression.write": "Add addresses to the do-not-contact list.",
  "social_checklist.read": "Read the checklist, what is due, and an item's context.",
  "social_checklist.submit": "Submit draft posts and documents for review.",
  "social_checklist.record": "Record evidence for checklist items.",
  "socialnet.read": "List the actions of a social account.",
  "socialnet.execute": "Act as the agent of a social account.",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[];

/** Scopes for the actions of a key's own social account. Without an account, they let a key neither read nor send any. */
export const ACCOUNT_SCOPES: readonly Scope[] = ["socialnet.read", "socialnet.execute"];

/** Keeps the scopes that exist, once each, in the table's order, and drops the rest. */
export function recognizedScopes(given: readonly string[]): Scope[] {
  return ALL_SCOPES.filter((scope) => given.includes(scope));
}

/** Whether a workspace lets people approve what they, their keys or their agents proposed. */
export const OWN_PROPOSALS = ["allowed", "forbidden"] as const;
export type OwnProposals = (typeof OWN_PROPOSALS)[number];
