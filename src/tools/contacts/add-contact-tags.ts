import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { MAX_TAGS, mergeTags } from "../../domain/contacts/contact.ts";
import { editContact } from "../../services/contacts/write.ts";
import { recordId } from "../fields.ts";

const tag = z.string().max(100);

export const addContactTags = agentOperation({
  name: "add_contact_tags",
  area: "contacts",
  title: "Add tags to a contact",
  description:
    "Adds tags to a contact and keeps its existing tags. Tags are lower-cased, trimmed, sorted and deduplicated. " +
    `A contact can have up to ${MAX_TAGS} tags, and further new ones are dropped. Tags can't be removed.`,
  access: { scope: "contacts.write" },
  http: { method: "POST", path: "/contacts/{id}/tags", statuses: [200] },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found"],
  input: z
    .object({
      id: recordId("contact"),
      tags: z.array(tag).max(1_000).optional().describe("Tags to add."),
      tag: tag.optional().describe("One tag to add."),
    })
    .refine(({ tags = [], tag = "" }) => [...tags, tag].some((text) => text.trim() !== ""), {
      path: ["tags"],
      error: "must have at least one tag. To add a single tag, you can send it in tag instead",
    })
    .meta({ examples: [{ tags: ["newsletter", "met-in-lisbon"] }] }),
  output: z.object({ id: z.uuid(), tags: z.array(z.string()).max(MAX_TAGS) }),
  async handler(ctx, { id, tags = [], tag }) {
    const record = await ctx.store.contacts.find(id);
    if (record === undefined) throw problem("contact_not_found");
    const before = record.contact.tags ?? [];
    const merged = mergeTags(before, tag === undefined ? tags : [...tags, tag]);
    if (merged.length > before.length) await editContact(ctx, record, {}, { tags: merged });
    return { data: { id, tags: merged } };
  },
});
