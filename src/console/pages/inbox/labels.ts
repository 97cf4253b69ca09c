import type { DataOf } from "../../app/operations.ts";

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
