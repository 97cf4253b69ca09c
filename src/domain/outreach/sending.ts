import { MINUTE_MS } from "../../lib/time.ts";
import type { Calendar, Opening } from "../time/calendar.ts";
import type { EnrollmentStatus, SequenceStatus, Step } from "./sequence.ts";

/** Where the emails of a sequence go. */
export const DELIVERIES = {
  send: "Emails are sent by the mail server.",
  files: "Emails are saved to files, not sent.",
} as const;
export type MailDelivery = keyof typeof DELIVERIES;

/** Why the engine defers a step, in the order of its checks. */
export const POSTPONEMENTS = {
  outbound_gate_closed: "Sending is off on this server. Ask your server admin to turn it on.",
  outreach_paused: "Outreach is paused in this workspace.",
  billing_read_only: "The workspace is read-only because of its billing status.",
  sequence_not_active: "The sequence is not active.",
  mail_not_configured: "No mail server is connected. Ask a super admin or your server admin to connect one.",
  outside_window: "The workspace's sending hours are closed.",
  daily_cap: "The workspace has reached its daily limit.",
  mail_server_unavailable:
    "The mail server rejects emails or can't be reached. Rostrum retries. Ask your server admin to check it.",
  delivery_delayed: "The email couldn't be delivered yet. Rostrum retries.",
} as const;
export type Postponement = keyof typeof POSTPONEMENTS;

/** Why an enrollment is on hold. */
export const HOLDS = {
  contact_changed:
    "The approval no longer covers the contact, for example after a reply or a change of their details. Approve and activate an audience that includes the contact. The enrollment then continues. If the contact opted out or isn't interested, stop the enrollment instead.",
  not_authorised:
    "No activated approval of the current steps includes the contact. Approve and activate an audience that includes the contact. The enrollment then continues.",
  unfilled: "A placeholder has no value. Add the value, approve the contact again, then release the enrollment.",
  no_address: "The contact has no email address. Add one, approve the contact again, then release the enrollment.",
  no_profile: "The contact has no profile URL. Add one, approve the contact again, then release the enrollment.",
  no_account:
    "Rostrum can't tell which social account to send from. If the workspace has none, add one under Agents. If it has several, ask your server admin to set the sequence's social account with the command rostrum call update_sequence. Then approve and activate the audience again, and release the enrollment.",
  came_back:
    "An earlier email bounced because of a problem with your mail account or server. Fix the problem, then release the enrollment.",
  unsendable:
    "The message can't be sent as it is. Edit the step or the contact, approve the contact again, then release the enrollment.",
  send_unknown: "The mail server didn't confirm an email. Check whether it arrived, then mark it as sent or not sent.",
} as const;
export type HoldReason = keyof typeof HOLDS;

/** What no longer authorizes an enrollment on hold for `contact_changed` or `not_authorised`, as the records say it now. */
export const HOLD_CAUSES = {
  details_changed: "Details of the contact changed after the approval.",
  replied: "The contact replied after the approval.",
  not_interested: "A teammate marked the contact as not interested after the approval.",
  opted_out: "The contact opted out after the approval.",
  earlier_enrollment: "The approval was for an earlier enrollment of the contact, which has ended.",
  replaced: "A newer approval replaced the approval of this contact.",
  steps_changed: "The steps changed after the approval.",
  sender_changed: "The sender changed after the approval.",
  not_approved: "No activated approval of the current steps includes the contact.",
  approved: "An activated approval covers the contact now. Release the enrollment.",
} as const;
export type HoldCause = keyof typeof HOLD_CAUSES;

/** The hold that is about our mail and not about a step. Only a person ends it, whatever becomes of the step. */
export const LASTING_HOLD = "came_back" satisfies HoldReason;

/** Everything that gates what a workspace sends from one sequence, at one moment. */
export interface SendingConditions {
  gateOpen: boolean;
  paused: boolean;
  readOnly: boolean;
  sequence: SequenceStatus;
  /** Whether the sequence's emails have somewhere to go: a mail server, or files. */
  deliverable: boolean;
  opening: Opening;
  /** When the windows open after today. */
  opensTomorrow: number;
  calendar: Calendar;
  /** Emails that may still be sent today; null where there is no cap. */
  capLeft: number | null;
  /** Until when the mail server is in cooldown; null where it is not. */
  backoffUntil: number | null;
  /** When emails without a mail server are checked again. */
  mailCheckedAt: number;
}

export interface Postponed {
  reason: Postponement;
  /** When it is checked again; null: when the reason is gone, which has no known time. */
  until: number | null;
}

/** What blocks a whole sequence, whatever the step. A person lifts it; time does not. */
export function blockOf(
  at: Pick<SendingConditions, "gateOpen" | "paused" | "readOnly" | "sequence">,
): Postponed | null {
  if (!at.gateOpen) return { reason: "outbound_gate_closed", until: null };
  if (at.paused) return { reason: "outreach_paused", until: null };
  if (at.readOnly) return { reason: "billing_read_only", until: null };
  return at.sequence === "active" ? null : { reason: "sequence_not_active", until: null };
}

/**
 * Whether a step may be executed now: null, or why not and until when. Sending hours and the daily limit are the
 * workspace's and apply to email; the professional network uses the account's own.
 */
export function postponementOf(step: Step["type"], at: SendingConditions): Postponed | null {
  const blocked = blockOf(at);
  if (blocked !== null || step !== "email") return blocked;
  if (!at.deliverable) return { reason: "mail_not_configured", until: at.mailCheckedAt };
  if (!at.opening.open) return { reason: "outside_window", until: at.opening.opensAt ?? at.calendar.nextDay };
  if (at.capLeft !== null && at.capLeft < 1) return { reason: "daily_cap", until: at.opensTomorrow };
  if (at.backoffUntil !== null) return { reason: "mail_server_unavailable", until: at.backoffUntil };
  return null;
}

/** What decides what an enrollment waits for at its step. */
export interface WaitingEnrollment {
  status: EnrollmentStatus;
  heldReason: HoldReason | null;
  postponedReason: Postponement | null;
  dueAt: number | null;
}

/**
 * What an enrollment waits for that is not a person, an action, or its day. Blocks of a whole workspace or sequence are
 * not stored: they are computed when they are read.
 */
export function waitsFor(
  enrollment: WaitingEnrollment,
  step: Step["type"] | undefined,
  at: SendingConditions,
  now: number,
): Postponed | null {
  const { status, heldReason, postponedReason, dueAt } = enrollment;
  if (status !== "active" || heldReason !== null || dueAt === null) return null;
  const blocked = blockOf(at);
  if (blocked !== null) return blocked;
  if (dueAt > now) return postponedReason && { reason: postponedReason, until: dueAt };
  return postponementOf(step ?? "wait", at);
}

/** How long emails wait without a mail server, unless one is connected sooner. */
export const NO_MAIL_SERVER_MS = 15 * MINUTE_MS;

/** After each attempt that a server could not take, before the next: 5 min, 15 min, 1 h, 4 h, then every 8 h. */
const RETRY_AFTER_MS = [5, 15, 60, 240, 480].map((minutes) => minutes * MINUTE_MS);
/** Attempts at one recipient: about two days. */
const MAX_ATTEMPTS = 9;

/** When a message that was not accepted is tried again; undefined after the last attempt. */
export function retryAt(attempts: number, now: number): number | undefined {
  if (attempts >= MAX_ATTEMPTS) return undefined;
  return now + (RETRY_AFTER_MS[Math.min(attempts, RETRY_AFTER_MS.length) - 1] ?? (RETRY_AFTER_MS[0] as number));
}

/** The growing cooldown of a mail server that refuses our messages: asking too often would lower its trust in us. */
export const SMTP_BACKOFF_MS = [0.5, 1, 2, 5, 15, 30].map((minutes) => minutes * MINUTE_MS);

const OURS_AGAIN_MS = { least: 5 * MINUTE_MS, most: 60 * MINUTE_MS };
/** The longest that a message waits for our mail server before it is tried again. */
export const MAX_MAIL_SERVER_WAIT_MS = OURS_AGAIN_MS.most;

/**
 * When a message is retried that was refused because of our account or server. Such a refusal does not count as an
 * attempt. The delay grows, so that one message that is always refused does not block all others every few minutes.
 */
export function oursAgainAt(createdAt: number, now: number): number {
  const { least, most } = OURS_AGAIN_MS;
  return now + Math.min(most, Math.max(least, now - createdAt));
}

/** The statuses of a message. */
export const SEND_STATUSES = {
  queued: "Due, and not handed over to the mail server yet.",
  sending: "Being delivered to the mail server.",
  retry: "A mail server couldn't accept the email. Rostrum retries.",
  sent: "A mail server accepted the email.",
  written: "Saved to a file and not sent.",
  failed: "Rejected or bounced, or every attempt failed.",
  unknown: "The mail server didn't confirm the email. A teammate marks it as sent or not sent.",
  dropped: "Stopped before the email was sent.",
} as const;
export type SendStatus = keyof typeof SEND_STATUSES;

/** Bounds of a filled subject and body, which may be longer than their templates may be. */
const MAX_SUBJECT = 998;
export const MAX_BODY = 100_000;

const LINE_BREAK = /[\p{Cc}\u2028\u2029]/u;

/** Why an email with these texts cannot be sent, for a person who can fix it; undefined where it can. */
export function messageFault(texts: { subject: string; body: string; names: readonly string[] }): string | undefined {
  const { subject, body, names } = texts;
  if (subject.trim() === "") return "subject: is empty.";
  if (subject.length > MAX_SUBJECT) return `subject: has more than ${MAX_SUBJECT} characters once filled.`;
  if (body.length > MAX_BODY) return `body: has more than ${MAX_BODY} characters once filled.`;
  if (LINE_BREAK.test(subject)) return "subject: has a line break or a control character.";
  return names.some((name) => LINE_BREAK.test(name)) ? "name: has a line break or a control character." : undefined;
}

/** Unconfirmed emails whose outcome is set at once: it keeps the transaction short. */
export const MAX_SETTLED = 500;
