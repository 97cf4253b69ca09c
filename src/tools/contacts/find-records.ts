import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { searchOf } from "../../domain/text/words.ts";
import type { FoundContact } from "../../store/words.ts";

const KINDS = ["contact", "account", "deal", "sequence", "post"] as const;
/** Kinds other than contacts. */
const RECORD_KINDS = ["account", "deal", "sequence", "post"] as const;

const FoundRecord = z.object({
  kind: z.enum(KINDS),
  id: z.string(),
  title: z.string().describe("The name of a contact, company or sequence, or the title of a deal or post."),
  detail: z
    .string()
    .nullable()
    .describe(
      "A contact's company and email, a company's domain, the name of a deal's contact, or a post's checklist item.",
    ),
  status: z.string().nullable().describe("The stage of a deal, or the status of a sequence or post."),
  parent_id: z.string().nullable().describe("The id of a deal's contact, or of a post's checklist item."),
});

export const findRecords = personOperation({
  name: "find_records",
  area: "search",
  title: "Find records",
  description:
    "Finds contacts, companies, deals, sequences and posts by the beginnings of their words, in any order. " +
    "Ignores case and accents. Contacts are found by name, company and email. Skips archived contacts and their " +
    "deals. For a single word, contacts whose name begins with it come first.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    text: z.string().max(200).trim().min(1).describe("The beginnings of some words, such as `love ada`."),
    limit: z.int().min(1).max(25).default(5).describe("The maximum number of records of each kind to return."),
  }),
  output: z.array(FoundRecord),
  async handler(ctx, { text, limit }) {
    const { finder } = ctx.store;
    const search = searchOf(text);
    const contacts = (await finder.contacts(search, limit)).map(toFoundContact);
    // More words say already which contact is meant.
    const named = search.words.length === 1 ? await ctx.store.contacts.byNameBeginning(text, limit) : [];
    const byName = named.map((contact) => toFoundContact({ ...contact, email: null }));
    const first = byName.map((one) => contacts.find(({ id }) => id === one.id) ?? one);
    const others = contacts.filter(({ id }) => first.every((one) => one.id !== id));
    const records = await Promise.all(
      RECORD_KINDS.map(async (kind) =>
        (await finder.records(kind, search, limit)).map((record) => ({
          ...record,
          kind,
          title: record.title ?? "",
          detail: record.detail || null,
        })),
      ),
    );
    return { data: [...[...first, ...others].slice(0, limit), ...records.flat()] };
  },
});

function toFoundContact({ id, first_name, last_name, company, email }: Omit<FoundContact, "seq">) {
  const name = [first_name, last_name].filter(Boolean).join(" ");
  const about = [company, name === "" ? null : email].filter(Boolean).join(" · ");
  return {
    kind: "contact" as const,
    id,
    title: name || email || "",
    detail: about === "" ? null : about,
    status: null,
    parent_id: null,
  };
}
