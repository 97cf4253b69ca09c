import { recordActivity } from "../../src/services/contacts/record-activity.ts";
import { openConversation } from "../../src/services/inbox/conversations.ts";
import { callAs, member } from "./member.ts";
import { newContact } from "./sequences.ts";
import type { TestServer } from "./server.ts";

/** A reply of a contact by email, as the mailbox records it. */
export async function newReply(
  server: TestServer,
  contact: { id: string; email: string },
  text = "Sounds good.",
): Promise<void> {
  await server.running.asSystem(server.workspaceId, "receive_mail", async (ctx) => {
    const metadata = { from: contact.email };
    const reply = { contactId: contact.id, type: "email_reply", subject: "Re: Hello", body: text, metadata } as const;
    const header = {
      subject: "Re: Hello",
      from: contact.email,
      messageId: "<theirs@x.example>",
      refersTo: ["<ours@x.example>"],
    };
    await openConversation(ctx, await recordActivity(ctx, reply), header);
  });
}

/** A contact who has replied. */
export async function newConversation(server: TestServer, fields: object = {}): Promise<any> {
  const contact = await newContact(server, fields);
  await newReply(server, contact);
  return contact;
}

/** An answer of a rep, which needs review. */
export async function newAnswer(server: TestServer, contactId: string, more: object = {}): Promise<any> {
  const input = { contact_id: contactId, body: "Great. Tuesday?", delivery: "files", ...more };
  const { body, text } = await callAs(server, member(server), "answer_by_email", input);
  if (body.data === undefined) throw new Error(text);
  return body.data;
}
