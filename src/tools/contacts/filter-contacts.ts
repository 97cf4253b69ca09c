import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { LIFECYCLE } from "../../domain/contacts/lifecycle.ts";
import { recordId } from "../fields.ts";
import { CursorMeta, cursor, cursorOf, cursorText } from "../page.ts";
import { Contact } from "./contact-schema.ts";

export const filterContacts = personOperation({
  name: "filter_contacts",
  area: "contacts",
  title: "Filter contacts",
  description:
    "Lists live contacts, newest first, by their stage, a tag, company, source or account; filters are combined with " +
    "AND. It goes by cursor, and however many contacts there are, a page looks at 10,000 of them at most: one may " +
    "hold fewer rows than asked for, and still go on.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    stage: z.enum(LIFECYCLE).optional().describe("How far they have come."),
    tag: z.string().min(1).max(100).optional().describe("One of their tags, exactly."),
    company: z.string().min(1).max(500).optional().describe("The company's name, exactly."),
    source: z.string().min(1).max(100).optional().describe("Where they came from, exactly."),
    account_id: recordId("account").optional(),
    before: cursor.optional(),
    limit: z.int().min(1).max(100).default(50).describe("Rows a page."),
  }),
  output: z.array(Contact),
  meta: CursorMeta,
  async handler(ctx, { account_id: accountId, before, limit, ...filter }) {
    const page = { limit, before: cursorOf(before) };
    const { rows, next } = await ctx.store.contacts.walk({ ...filter, accountId }, page);
    return { data: rows, meta: { limit, next: cursorText(next) } };
  },
});
