import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { SEND_STATUSES } from "../../domain/outreach/sending.ts";
import { oneOf, recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Send, toSend } from "./send-schema.ts";
import { ListedContact } from "./sequence-schema.ts";

/** The text of a message is looked for among this many entries of its contact's timeline. */
const NEWEST_ENTRIES = 100;

export const listSends = personOperation({
  name: "list_sends",
  area: "sequences",
  title: "List emails",
  description: "Lists the emails of all sequences and the answers by email, newest first, each with its result.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    status: oneOf(SEND_STATUSES, "Only emails with this status.").optional(),
    sequence_id: recordId("sequence").optional(),
    ...pageFields,
  }),
  output: z.array(
    Send.extend({
      contact: ListedContact,
      text: z
        .string()
        .nullable()
        .describe(
          `The text, once it was sent or written to a file. Null if the contact has ${NEWEST_ENTRIES} or more newer ` +
            "timeline entries.",
        ),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, { status, sequence_id: sequenceId, ...page }) {
    const { rows, total } = await ctx.store.sends.list({ status, sequenceId }, page);
    const contacts = rows.map((row) => row.contactId);
    const names = await ctx.store.contacts.names(contacts);
    const texts = await ctx.store.activities.messages(contacts, NEWEST_ENTRIES);
    const data = rows.map((row) => ({
      ...toSend(row),
      contact: names.get(row.contactId) ?? null,
      text: texts.get(row.id) ?? null,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
