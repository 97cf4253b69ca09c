import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { givenTime } from "../fields.ts";
import { ListMeta, listMeta } from "../page.ts";
import { Contact, email } from "./contact-schema.ts";

const MAX_OFFSET = 100_000;

export const queryContacts = agentOperation({
  name: "query_contacts",
  area: "contacts",
  title: "Query contacts",
  description:
    "Finds contacts by exact values, combined with AND, in a stable order with the exact total. Archived " +
    "contacts are not returned. Pages are not a snapshot. To follow changes, query with an updated_since before your " +
    "last query, and skip contacts whose id and updated_at you have seen. Unknown fields are refused.",
  access: { scope: "contacts.read" },
  http: { method: "POST", path: "/contacts/query", statuses: [200], body: "ContactQuery" },
  tool: false,
  budget: "write",
  idempotent: false,
  effect: "read",
  input: z
    .strictObject({
      filter: z
        .strictObject({
          email: email.optional(),
          company: z.string().min(1).max(500).optional().describe("The company's name. Exact match."),
          source: z.string().min(1).max(100).optional().describe("Where the contact came from. Exact match."),
          updated_since: givenTime.optional().describe("Updated at or after this time (RFC 3339)."),
        })
        .default({}),
      sort: z.enum(["created_at", "updated_at"]).default("created_at"),
      direction: z.enum(["asc", "desc"]).default("desc").describe("Ties are ordered by id, in the same direction."),
      limit: z.int().min(1).max(100).default(25),
      offset: z.int().min(0).max(MAX_OFFSET).default(0),
    })
    .meta({ examples: [{ filter: { company: "Analytical Engines" }, sort: "updated_at", limit: 10 }] }),
  output: z.array(Contact),
  meta: ListMeta,
  async handler(ctx, { filter: { email, company, source, updated_since }, sort, direction, limit, offset }) {
    const updatedSince = updated_since === undefined ? undefined : firstMsFrom(updated_since);
    const filter = { email, company, source, updatedSince };
    const { rows, count, total } = await ctx.store.contacts.query({ filter, sort, direction, limit, offset });
    return { data: rows, meta: listMeta({ limit, offset }, count, total) };
  },
});

/** The first whole millisecond at or after a time: Date.parse drops what is finer. */
function firstMsFrom(time: string): number {
  return Date.parse(time) + (/\.\d{3}\d*[1-9]/.test(time) ? 1 : 0);
}
