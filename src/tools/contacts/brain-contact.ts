import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import type { NamedContact } from "../../store/contacts.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { candidates, MAX_CANDIDATES, notFound } from "./brain-find.ts";
import { BrainDeals, bounded, COMPACT_BRAIN } from "./brain-schema.ts";
import { gatherSurroundings, surroundings } from "./brain-view.ts";
import { email } from "./contact-schema.ts";

const { contact, last_contacted_at, account, lifecycle, ...rest } = surroundings;

const view = z.object({
  contact,
  last_contacted_at,
  account,
  lifecycle,
  deals: BrainDeals,
  ...rest,
});

const Candidate = z.object({ id: z.uuid(), name: z.string(), company: z.string().nullable() });

export const brainContact = agentOperation({
  name: "brain_contact",
  area: "brain",
  title: "Get everything about a contact",
  description:
    "Everything known about one person. Read it before you act on a contact. Find the contact by exactly one of id, " +
    "email, profile_url and name. If several contacts match a name, you get candidates instead: call again with the id " +
    "of one. Returns the record, when the team last reached out, the account, the stage and what the next one needs, " +
    "deals, meetings, BANT assessments, enrollments, social-network status and actions, the do-not-contact entry, the " +
    `latest activities and, with detail full, who wrote each field. Log activities over REST: POST /contacts/{id}/activities. ${bounded("deals", "meetings", "enrollments", "actions", "activities")}`,
  access: { scope: "contacts.read" },
  tool: {
    annotations: READ_ONLY,
    compact: [...COMPACT_BRAIN, "provenance", "contact.created_at", "contact.updated_at"],
  },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["contact_not_found"],
  input: z
    .strictObject({
      id: recordId("contact").optional(),
      email: email.describe("The contact's email address, ignoring case.").optional(),
      profile_url: z
        .string()
        .max(2_000)
        .trim()
        .refine((url) => profileKey(url) !== null, "must be a profile URL that starts with https://")
        .optional()
        .describe("The contact's social-network profile. Scheme, www., query and trailing slash are ignored."),
      name: z
        .string()
        .max(500)
        .trim()
        .min(1)
        .optional()
        .describe(
          'A full name, or the beginning of the first name, last name or both: "Ada Lovelace", "Lovel", "Ada Lo". A full match ' +
            "wins. Ignores ASCII case.",
        ),
    })
    .refine(...exactlyOne("id", "email", "profile_url", "name")),
  output: z.union([view, candidates(Candidate)]),
  async handler(ctx, selector) {
    const { contacts } = ctx.store;
    const { id, email, profile_url, name = "" } = selector;
    const isNamed = id === undefined && email === undefined && profile_url === undefined;
    const named = isNamed ? await contacts.byName(name, MAX_CANDIDATES) : [];
    if (named.length > 1) return { data: { candidates: named.map(toCandidate) } };
    const record = await (email !== undefined
      ? contacts.findByEmail(email)
      : profile_url !== undefined
        ? contacts.findByProfile(profile_url)
        : contacts.find(id ?? named[0]?.id ?? ""));
    if (record === undefined) throw notFound("contact_not_found", "contact", selector);
    return { data: await gatherSurroundings(ctx, record) };
  },
});

function toCandidate({ id, first_name, last_name, company }: NamedContact): z.infer<typeof Candidate> {
  return { id, name: [first_name, last_name].filter(Boolean).join(" "), company };
}
