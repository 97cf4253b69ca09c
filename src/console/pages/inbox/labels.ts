import { CONVERSATION_VIEWS, type ConversationView } from "../../../domain/outreach/conversation.ts";
import type { DataOf } from "../../app/operations.ts";
import { nameOf, revealed } from "../../ui/labels.ts";

export type ListedConversation = DataOf<"list_conversations">[number];
export type OpenConversation = DataOf<"get_conversation">;

/** Where a reply came from. */
export const CHANNELS: Record<ListedConversation["last_reply"]["type"], string> = {
  email_reply: "Email",
  socialnet_reply: "Professional network",
  socialnet_message_received: "Professional network",
};

export const MARKS: Record<NonNullable<ListedConversation["mark"]>, string> = {
  not_interested: "Not interested",
  out_of_office: "Out of office",
};

export const VIEW_NAMES: Record<ConversationView, string> = {
  to_answer: "To answer",
  open: "Open",
  mine: "Mine",
  unassigned: "Unassigned",
  snoozed: "Snoozed",
  done: "Done",
};
/** The same conversations as in the sidebar's badge and on Today. */
export const DEFAULT_VIEW: ConversationView = "to_answer";
export const VIEWS = Object.keys(CONVERSATION_VIEWS) as ConversationView[];

export const EMPTY_VIEW: Record<ConversationView, string> = {
  to_answer: "You're all caught up",
  open: "No open conversations",
  mine: "Nothing is assigned to you",
  unassigned: "Every open conversation is assigned",
  snoozed: "No snoozed conversations",
  done: "No conversations marked as done",
};

export function saidIn({ subject, excerpt }: ListedConversation["last_reply"]): string {
  return revealed(excerpt ?? subject ?? "No text");
}

export const whoOf = ({ contact }: ListedConversation) => (contact === null ? "Archived contact" : nameOf(contact));
