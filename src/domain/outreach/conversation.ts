import type { ActivityType } from "../contacts/activity.ts";

/** Whether a teammate still has to handle a conversation. A new reply opens it again. */
export const CONVERSATION_STATUSES = ["open", "done"] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** What a teammate made of the last reply. */
export const CONVERSATION_MARKS = ["not_interested", "out_of_office"] as const;
export type ConversationMark = (typeof CONVERSATION_MARKS)[number];

/** What opens a conversation: the contact wrote to us. Automatic replies don't. */
export const OPENS_CONVERSATION = [
  "email_reply",
  "socialnet_reply",
  "socialnet_message_received",
] as const satisfies ActivityType[];
export type ReplyType = (typeof OPENS_CONVERSATION)[number];

/** The lists of conversations, each with what it contains. */
export const CONVERSATION_VIEWS = {
  to_answer: "Open conversations that are unassigned or assigned to you.",
  open: "Conversations that need an answer, except snoozed ones.",
  mine: "Open conversations that are assigned to you.",
  unassigned: "Open conversations without an assigned teammate.",
  snoozed: "Conversations that are hidden until a set time.",
  done: "Conversations marked as done. A new reply opens them again.",
} as const;
export type ConversationView = keyof typeof CONVERSATION_VIEWS;

/** The orders of a list of conversations. */
export const CONVERSATION_ORDERS = {
  newest: "Unread ones first, then the newest.",
  oldest: "Longest waiting first, whether read or unread.",
} as const;
export type ConversationOrder = keyof typeof CONVERSATION_ORDERS;

/** Entries of a timeline that are part of the conversation with a contact. */
export const MESSAGES: ReadonlySet<string> = new Set<ActivityType>([
  "email_sent",
  "email_not_sent",
  "email_reply",
  "email_auto_reply",
  "email_bounced",
  "socialnet_connection_sent",
  "socialnet_connected",
  "socialnet_message_sent",
  "socialnet_message",
  "socialnet_message_received",
  "socialnet_reply",
  "call_made",
  "call_received",
  "note_added",
  "not_interested",
  "out_of_office",
  "suppressed",
]);

/** Characters of a reply in a list. */
const MAX_PREVIEW = 200;

/** The beginning of a reply, on one line. */
export function previewOf(text: string): string {
  const line = text
    .slice(0, MAX_PREVIEW * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= MAX_PREVIEW ? line : `${characters.slice(0, MAX_PREVIEW).join("").trimEnd()}…`;
}
