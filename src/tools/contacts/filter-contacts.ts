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
    "Lists contacts that aren't archived, newest first, by stage, tag, company, source or account. Filters combine with AND. " +
    "Paginates by cursor. A page scans 10,000 contacts at most, so it can return fewer rows than requested and " +
    "still have a next page.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    stage: z.enum(LIFECYCLE).optional().describe("The contact's stage."),
    tag: z.string().min(1).max(100).optional().describe("A tag of the contact. Exact match."),
    company: z.string().min(1).max(500).optional().describe("The company's name. Exact match."),
    source: z.string().min(1).max(100).optional().describe("The contact's source. Exact match."),
    account_id: recordId("account").optional(),
    before: cursor.optional(),
    limit: z.int().min(1).max(100).default(50).describe("Rows per page."),
  }),
  output: z.array(Contact),
  meta: CursorMeta,
  async handler(ctx, { account_id: accountId, before, limit, ...filter }) {
    const page = { limit, before: cursorOf(before) };
    const { rows, next } = await ctx.store.contacts.walk({ ...filter, accountId }, page);
    return { data: rows, meta: { limit, next: cursorText(next) } };
  },
});
