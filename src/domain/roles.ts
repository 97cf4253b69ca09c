/** Who may do what by the person door. `approve_outbound` is granted to a member, and is no role's own. */
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

/** The roles that a workspace is never without. */
export const ADMINISTRATORS = ROLES.filter((role) => PERMISSIONS[role].includes("administer"));

/** Whether a member of the first role may grant, change and remove the second: nobody lifts themself to the highest. */
export function mayGrant(granter: Role, role: Role): boolean {
  return granter === "super_admin" || role !== "super_admin";
}

/** Whether a member of this role, with or without the grant to approve sends, holds the permission. */
export function memberMay(role: Role, approveOutbound: boolean, permission: Permission): boolean {
  return permission === "approve_outbound" ? approveOutbound : PERMISSIONS[role].includes(permission);
}
