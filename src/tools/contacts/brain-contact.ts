import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { BrainDeals, bounded } from "./brain-schema.ts";
import { gatherSurroundings, surroundings } from "./brain-view.ts";
import { email } from "./contact-schema.ts";

const { contact, last_contacted_at, account, lifecycle, ...rest } = surroundings;

export const brainContact = agentOperation({
  name: "brain_contact",
  area: "brain",
  title: "Know a contact",
  description:
    "What is known of one live contact, in one answer; read it before you act on somebody. The record, when the team " +
    "last reached out, the account, the stage and what the next one still needs, deals, meetings, BANT assessments, " +
    "sequences the contact is or was in, how far it is on the social network and what agents do there, whether the address is on the do-not-contact list, the latest activities, and " +
    "who wrote each field. Find the contact by exactly one of id, email (without letter case) and profile_url (scheme, " +
    `www., query and trailing slash do not matter; of several, the newest). ${bounded("deals", "meetings", "enrollments", "actions", "activities")}`,
  access: { scope: "contacts.read" },
  tool: { annotations: READ_ONLY },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["contact_not_found"],
  input: z
    .strictObject({
      id: recordId("contact").optional(),
      email: email.optional(),
      profile_url: z
        .string()
        .trim()
        .max(2_000)
        .refine((url) => profileKey(url) !== null, "is not the address of a profile")
        .optional()
        .describe("The address of the contact's profile on the social network."),
    })
    .refine(...exactlyOne("id", "email", "profile_url")),
  output: z.object({
    contact,
    last_contacted_at,
    account,
    lifecycle,
    deals: BrainDeals,
    ...rest,
  }),
  async handler(ctx, { id, email, profile_url = "" }) {
    const { contacts } = ctx.store;
    const record = await (id !== undefined
      ? contacts.find(id)
      : email !== undefined
        ? contacts.findByEmail(email)
        : contacts.findByProfile(profile_url));
    if (record === undefined) throw problem("contact_not_found");
    return { data: await gatherSurroundings(ctx, record) };
  },
});
