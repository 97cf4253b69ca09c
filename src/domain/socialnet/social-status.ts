/** How far the team and a contact have come on the professional network. It only moves forward. */
export const SOCIAL_STATUSES = ["none", "invited", "connected", "messaged", "replied"] as const;
export type SocialStatus = (typeof SOCIAL_STATUSES)[number];

/** The statuses that lie before one. */
export function socialStatusesBefore(status: SocialStatus): SocialStatus[] {
  return SOCIAL_STATUSES.slice(0, SOCIAL_STATUSES.indexOf(status));
}

/** Whether a connection request no longer makes sense. */
export function isConnected(status: SocialStatus): boolean {
  return SOCIAL_STATUSES.indexOf(status) >= SOCIAL_STATUSES.indexOf("connected");
}
