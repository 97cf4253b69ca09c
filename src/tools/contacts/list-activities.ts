import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { CursorMeta, cursor } from "../page.ts";
import { Activity } from "./contact-schema.ts";

export const listActivities = personOperation({
  name: "list_activities",
  area: "activities",
  title: "List a contact's timeline",
  description: "Lists the timeline of a contact, newest first and in full. Paginates by cursor.",
  access: { permission: "view" },
  effect: "read",
  errors: ["contact_not_found"],
  input: z.strictObject({
    contact_id: recordId("contact"),
    before: cursor.optional(),
    limit: z.int().min(1).max(100).default(25).describe("Rows per page."),
  }),
  output: z.array(Activity),
  meta: CursorMeta,
  async handler(ctx, { contact_id: id, before, limit }) {
    if ((await ctx.store.contacts.find(id)) === undefined) throw problem("contact_not_found");
    const page = { limit, before: before === undefined ? null : Number.parseInt(before, 10) };
    const { rows, next } = await ctx.store.activities.page(id, page);
    return { data: rows, meta: { limit, next: next === null ? null : String(next) } };
  },
});
