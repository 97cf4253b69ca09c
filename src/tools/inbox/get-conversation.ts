import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { memberOf } from "../../domain/contacts/activity.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import { answerSubject } from "../../domain/outreach/answer.ts";
import { MESSAGES } from "../../domain/outreach/conversation.ts";
import { MARKS } from "../../domain/text/marks.ts";
import { mayApproveOwn } from "../../services/access/own-proposal.ts";
import { requireConversation } from "../../services/inbox/conversations.ts";
import { findResumable } from "../../services/inbox/out-of-office.ts";
import { hasMailServer } from "../../services/outreach/sending-conditions.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import { BrainDeals } from "../contacts/brain-schema.ts";
import { gatherSurroundings, surroundings } from "../contacts/brain-view.ts";
import { Activity, lastReply } from "../contacts/contact-schema.ts";
import { oneOf, time } from "../fields.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";
import { marksOfProfile } from "../socialnet/action-schema.ts";
import { addressesOf, answerFrom, findSimilarTo, marksOfAddress } from "./answering.ts";
import { Answer, Conversation, contactId, showAnswer, showConversation } from "./conversation-schema.ts";

/** Entries of the timeline among which messages are looked for. */
const NEWEST_ENTRIES = 100;
const ANSWERS = 20;
const CHOICES = { limit: 100, offset: 0 };

const { activities: _, provenance: __, meetings: ___, bant: ____, ...shared } = surroundings;

export const getConversation = personOperation({
  name: "get_conversation",
  area: "inbox",
  title: "Get a conversation",
  description:
    "Reads everything that a conversation's page shows: the messages, the newest answers by email, how the " +
    "contact can be answered, and the contact with stage, deals, sequences and social-network actions.",
  access: { permission: "view" },
  effect: "read",
  errors: ["conversation_not_found"],
  input: z.strictObject({ contact_id: contactId }),
  output: z.object({
    conversation: Conversation,
    messages: z.array(Activity).describe("What was written in both directions, newest first, with the last reply."),
    member_names: z.record(z.string(), z.string()).describe("Names, by id, of the members who wrote an entry."),
    answers: z.array(Answer).describe(`The newest ${ANSWERS} answers by email, newest first.`),
    email: z
      .object({
        to: z.array(z.string()).describe("Addresses that the answer can go to. The first one is the default."),
        to_marks: z.array(z.array(oneOf(MARKS))).describe("Warnings about each of these addresses, in the same order."),
        from: z.string().nullable().describe("The sender, as the recipient reads it. Null if unknown."),
        subject: z.string(),
        delivery: z
          .enum(["send", "files"])
          .describe("files: no mail server is connected, so an answer is saved to a file and not sent."),
        sends: z.boolean().describe("Whether your answer is sent without a review by another teammate."),
      })
      .nullable()
      .describe("How the contact is answered by email. Null if they have no address."),
    network: z
      .object({
        recipient_url: z.string(),
        recipient_marks: z.array(oneOf(MARKS)).describe("Warnings about recipient_url."),
        accounts: z.array(
          z.object({ id: z.uuid(), label: z.string(), profile_url: z.string(), automation_mode: z.string() }),
        ),
        sends: z.boolean().describe("Whether your message is approved without a review by another teammate."),
      })
      .nullable()
      .describe(
        "How the contact is answered on the professional network. Null if they have no profile, or the workspace has no social account.",
      ),
    ...shared,
    deals: BrainDeals,
    similar_suppressed: similarSuppressed,
    resumable: z
      .array(z.object({ sequence_id: z.uuid(), name: z.string() }))
      .describe("Sequences that the last reply stopped, and that mark_out_of_office can continue."),
    last_reply_at: time,
    newest_reply: lastReply,
  }),
  async handler(ctx, { contact_id: id }) {
    const { contacts, activities, emailAnswers } = ctx.store;
    const row = await requireConversation(ctx, id);
    // Before the messages: what a form pins is shown.
    const newest = await activities.lastReply(id);
    const record = (await contacts.find(id)) as ContactRecord;
    const {
      activities: _,
      provenance: __,
      meetings: ___,
      bant: ____,
      ...known
    } = await gatherSurroundings(ctx, record);
    const { rows } = await activities.page(id, { limit: NEWEST_ENTRIES, before: null });
    const messages = rows.filter(({ type }) => MESSAGES.has(type));
    // What a form pins is shown, however many entries came after it.
    const last = rows.some(({ id }) => id === row.lastReplyId) ? undefined : await activities.find(id, row.lastReplyId);
    if (last !== undefined) messages.push(last);
    const answers = await emailAnswers.ofContact(id, ANSWERS);
    const sends = await mayApproveOwn(ctx);
    const to = addressesOf(row, record);
    const conversation = await showConversation(ctx, row);
    return {
      data: {
        conversation,
        messages,
        member_names: await namesOf(
          ctx,
          messages.map(({ metadata }) => memberOf(metadata)),
        ),
        answers: await Promise.all(answers.map((answer) => showAnswer(ctx, answer))),
        email:
          to.length === 0
            ? null
            : {
                to,
                to_marks: await Promise.all(to.map((address) => marksOfAddress(ctx, id, address))),
                from: await answerFrom(ctx),
                subject: answerSubject(row.emailSubject),
                delivery: (await hasMailServer(ctx)) ? ("send" as const) : ("files" as const),
                sends,
              },
        network: await networkOf(ctx, record, sends),
        ...known,
        similar_suppressed: await findSimilarTo(ctx, record.contact, to),
        resumable: (await findResumable(ctx, row)).map(({ sequence: { id, name } }) => ({ sequence_id: id, name })),
        last_reply_at: conversation.last_reply.at,
        newest_reply: newest ?? null,
      },
    };
  },
});

async function networkOf(ctx: Context, { contact }: ContactRecord, sends: boolean) {
  const { socialnet_url: url } = contact;
  if (url === null || profileKey(url) === null) return null;
  const { rows } = await ctx.store.socialnetAccounts.list(CHOICES);
  if (rows.length === 0) return null;
  const accounts = rows.map(({ id, label, profileUrl, automationMode }) => ({
    id,
    label,
    profile_url: profileUrl,
    automation_mode: automationMode,
  }));
  const recipient_marks = await marksOfProfile(ctx, contact.id, url);
  return { recipient_url: url, recipient_marks, accounts, sends };
}

async function namesOf({ store }: Context, ids: readonly (string | undefined)[]): Promise<Record<string, string>> {
  const known = [...new Set(ids)].filter((id) => id !== undefined);
  const names = await Promise.all(
    known.map(async (id) => [id, (await store.members.find(id))?.name ?? "Former teammate"] as const),
  );
  return Object.fromEntries(names);
}
