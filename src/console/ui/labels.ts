import { operatorLabel } from "../../core/actor.ts";
import type { SocialStatus } from "../../domain/socialnet/social-status.ts";
import { revealHidden } from "../../domain/text/hidden.ts";

export { channelPlace } from "../../domain/checklist/channel.ts";

type Named = { first_name: string | null; last_name: string | null; email: string | null };

/** The name of a contact, or else its email address. Hidden characters could make one name look like another. */
export function nameOf({ first_name, last_name, email }: Named): string {
  return revealed([first_name, last_name].filter(Boolean).join(" ") || email || "No name");
}

/** Codes of the API that are not readable as they are. */
const NAMES: Record<string, string> = {
  lifecycle_changed: "Stage changed",
  own_proposal: "Approved own proposal",
  sign_in_failed: "Sign-in failed",
  socialnet: "Professional network",
  socialnet_connect: "Connection request",
  socialnet_connection_sent: "Connection request sent",
  socialnet_connected: "Connection accepted",
  socialnet_message: "Social message",
  socialnet_message_sent: "Social message sent",
  socialnet_message_received: "Social message received",
  socialnet_reply: "Social reply",
  socialnet_url: "Profile URL",
};
/** Subjects that Rostrum writes and that say what the type says, by the type of the activity. */
const OWN_SUBJECTS: Record<string, string> = {
  socialnet_connected: "Connected on the professional network",
  socialnet_connection_sent: "Connection request sent",
  socialnet_message_received: "Professional network message received",
  socialnet_message_sent: "Professional network message sent",
  socialnet_reply: "Replied on the professional network",
};

/** Whether a subject only repeats the label of its activity. */
export const isRepeated = (type: string, subject: string): boolean =>
  subject === OWN_SUBJECTS[type] || subject === codeLabel(type);

const INITIALS = /\b(api|bant|html|id|imap|mcp|sms|smtp|tls|url)\b/g;

/** Operations with another name in the console than in the API. */
const OPERATION_TITLES: Record<string, string> = {
  create_account: "Add a company",
  update_account: "Update a company",
  set_up: "Create the owner account",
  invite_member: "Invite a teammate",
  set_member: "Update a teammate",
  remove_member: "Remove a teammate",
  socialnet_command: "Report from social agent",
  // What the server and its links do without an operation.
  accept_invitation: "Accept an invitation",
  issue_password_reset: "Create a password reset link",
  reap_leases: "End an expired claim",
  receive_mail: "Receive an email",
  redeem_code: "Connect an MCP client",
  revoke_token: "Disconnect an MCP client",
  send_mail: "Send an email",
  set_mail_from: "Change the sender of emails",
  settle_stale: "Finish an interrupted email",
  take_answer: "Send an answer",
  take_step: "Run a sequence step",
  unsubscribe: "Unsubscribe a contact",
};

/** The name of an operation in the console, if it differs from the title in the API. */
export const operationTitle = (name: string): string | undefined =>
  Object.hasOwn(OPERATION_TITLES, name) ? OPERATION_TITLES[name] : undefined;

/** A code of the API as text: `closed_won` is Closed won, `sms_sent` SMS sent. */
export function codeLabel(code: string): string {
  if (Object.hasOwn(NAMES, code)) return String(NAMES[code]);
  const words = code
    .replaceAll("_", " ")
    .replaceAll(/\bsocialnet\b/g, "social")
    .replaceAll(INITIALS, (initials) => initials.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DELIVERY_OUTCOMES: Record<string, string> = {
  challenge_failed: "Wrong answer to the challenge",
  internal: "Error on the Rostrum server",
  timeout: "No answer in time",
};

/** How an attempt to reach an endpoint ended: `5xx` and `http_5xx` are HTTP 5xx, `connection_refused` is Connection refused. */
export function deliveryOutcome(code: string): string {
  const [, status] = /^(?:http_)?(\dxx)$/.exec(code) ?? [];
  return status === undefined ? (DELIVERY_OUTCOMES[code] ?? codeLabel(code)) : `HTTP ${status}`;
}

/** Records with statuses that mean something else on other records. */
export type StatusOf = "action" | "enrollment" | "delivery" | "assessment";

/** The label of each status. Labels of submissions match the buttons that lead to them. */
const STATUSES: Record<string, string> = {
  pending: "Needs review",
  needs_review: "Needs review",
  planned: "Needs review",
  held: "On hold",
  denied: "Rejected",
  declined: "Rejected",
  cancelled: "Canceled",
  change_requested: "Changes requested",
  changes_requested: "Changes requested",
  applied: "Activated",
  voided: "Canceled",
  unknown: "Unconfirmed",
  written: "Not sent (saved to a file)",
  retry: "Retrying",
  dead: "Failed",
  given_up: "Rejected",
  ok: "Succeeded",
  partial: "Partly succeeded",
  login_required: "Sign-in required",
  captcha: "CAPTCHA",
  waiting_on_action: "Waiting for agent",
  stopped_replied: "Stopped by a reply",
  stopped_suppressed: "Opted out",
  stopped_by_member: "Removed",
  not_assessed: "To do",
  not_started: "To do",
  claimed: "Claimed by agent",
  started: "Being sent",
};
const STATUSES_OF: Partial<Record<StatusOf, Record<string, string>>> = {
  action: { needs_review: "Unconfirmed" },
  enrollment: { completed: "Finished" },
  delivery: { pending: "Pending" },
  assessment: { unknown: "Unknown" },
};

export function statusLabel(status: string, kind?: StatusOf): string {
  return (kind && STATUSES_OF[kind]?.[status]) ?? STATUSES[status] ?? codeLabel(status);
}

/** How far the contact on the professional network has come. */
export const SOCIAL_LABELS: Record<SocialStatus, string> = {
  none: "Not connected to any of your accounts",
  invited: "Invited",
  connected: "Connected",
  messaged: "Messaged",
  replied: "Replied",
};

const SOURCES: Record<string, string> = {
  public_api: "Agent (API)",
  agent: "Agent",
  member: "Teammate",
  import: "CSV import",
  enrichment: "Enrichment",
  engine: "Rostrum",
};

/** The label of what wrote a record. */
export function sourceLabel(source: string): string {
  return SOURCES[source] ?? codeLabel(source);
}

/** Reasons that Rostrum records. Others are a teammate's or an agent's own words. */
const SUPPRESSION_REASONS: Record<string, string> = {
  manual: "added manually",
  unsubscribe: "unsubscribed",
  bounce: "email bounced",
  complaint: "reported an email as spam",
};

/** Why an address is on the do-not-contact list. */
export function suppressionReason(reason: string): string {
  return SUPPRESSION_REASONS[reason] ?? revealed(reason);
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isGuid = (text: string): boolean => GUID.test(text);

/**
 * The name for an actor id. Members and keys have GUIDs. Actors of the command line have the name of the system user.
 *
 * @param alone whether the name stands alone, and not in a sentence
 */
export function actorLabel(id: string, names: ReadonlyMap<string, string>, alone = false): string {
  return names.get(id) ?? (GUID.test(id) ? (alone ? "Former teammate" : "former teammate") : operatorLabel(id));
}

/** Longer gaps than writers use could push the rest of a text out of the reviewer's sight. */
const WIDE_GAP = /[^\S\n]{200,}/g;
const TALL_GAP = /\n(?:[^\S\n]*\n){10,}/g;

/** The text with long gaps as their size. */
export function withoutGaps(text: string): string {
  return text
    .replace(WIDE_GAP, (gap) => `[${gap.length} spaces]`)
    .replace(TALL_GAP, (gap) => `\n[${gap.split("\n").length - 2} empty lines]\n`);
}

/** The text that a reviewer sees: hidden characters appear as codes, and long gaps as their size. */
export function revealed(text: string): string {
  const closed = withoutGaps(text);
  return revealHidden(closed) ?? closed;
}
