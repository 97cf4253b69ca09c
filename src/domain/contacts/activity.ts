/** What a caller may log. */
export const WRITABLE_ACTIVITIES = [
  "note_added",
  "call_made",
  "call_received",
  "voicemail_left",
  "meeting_booked",
  "meeting_completed",
  "sms_sent",
  "socialnet_message",
] as const;

/** Types that only the server writes; a caller who could log these could forge history. */
export const SYSTEM_ACTIVITIES = [
  "email_sent",
  "email_bounced",
  "email_not_sent",
  "email_reply",
  "email_auto_reply",
  "lifecycle_changed",
  "socialnet_connection_sent",
  "socialnet_message_sent",
  "socialnet_connected",
  "socialnet_reply",
  "socialnet_message_received",
  "suppressed",
  "not_interested",
  "out_of_office",
] as const;

export type ActivityType = (typeof WRITABLE_ACTIVITIES)[number] | (typeof SYSTEM_ACTIVITIES)[number];

/** A contact answered something that was sent to them. */
export const REPLIES = ["email_reply", "socialnet_reply"] as const satisfies ActivityType[];

export function isReply(type: string): boolean {
  return REPLIES.some((reply) => reply === type);
}

const OUTBOUND: ReadonlySet<ActivityType> = new Set(["call_made", "voicemail_left", "sms_sent", "socialnet_message"]);

/** Whether a team member reached out, which counts as contacting the contact. */
export function isOutbound(type: ActivityType): boolean {
  return OUTBOUND.has(type);
}

export function isSystemActivity(type: unknown): boolean {
  return SYSTEM_ACTIVITIES.some((system) => system === type);
}

/** The member who wrote an entry. A key's own metadata may have a `member_id` too: the source, which the server sets, decides. */
export function memberOf({ source, member_id: id }: Activity["metadata"]): string | undefined {
  return source === "member" && typeof id === "string" ? id : undefined;
}

/** The API key that wrote an activity. */
export function keyOf({ source, api_key_id: id }: Activity["metadata"]): string | undefined {
  return source === "public_api" && typeof id === "string" ? id : undefined;
}

/** An activity as the API shows it. Times are RFC 3339 in UTC. */
export interface Activity {
  id: string;
  contact_id: string;
  workspace_id: string;
  type: string;
  subject: string | null;
  body: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
}
