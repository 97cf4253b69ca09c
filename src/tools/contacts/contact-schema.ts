import { z } from "zod";
import { isAnyAddress, isEmail, leavesTheWeb, MAX_EMAIL } from "../../domain/contacts/address.ts";
import { MAX_TAGS } from "../../domain/contacts/contact.ts";
import { LIFECYCLE } from "../../domain/contacts/lifecycle.ts";

const MAX_TEXT = 500;
const MAX_URL = 2_000;

/** Absolute, and safe to follow. */
export const isWebUrl = (text: string) => /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text);
const orNull = (text: string | null | undefined) => (text === "" ? null : text);

const NOT_EMAIL = "must be an email address such as name@example.com";
export const NOT_URL = "must be an absolute URL. Start it with https://";

/** A required address. */
export const email = z
  .string()
  .max(MAX_EMAIL)
  .trim()
  .refine(isEmail, NOT_EMAIL)
  .meta({ format: "email", description: "An email address, ignoring case." });

/** The address of an opt-out: any that a mail server somewhere may take. */
export const anyAddress = z
  .string()
  .max(MAX_EMAIL)
  .trim()
  .refine(isAnyAddress, NOT_EMAIL)
  .meta({ format: "email", description: "An email address, ignoring case." });

const emailOrNothing = z
  .string()
  .max(MAX_EMAIL)
  .trim()
  .refine((text) => text === "" || isEmail(text), NOT_EMAIL)
  .nullish()
  .transform(orNull)
  .meta({ description: "An email address, unique among contacts, ignoring case." });

const text = (max: number) => z.string().max(max).trim();
const textOrNothing = (max: number, description: string) => text(max).nullish().transform(orNull).meta({ description });
const urlOrNothing = (description: string) =>
  text(MAX_URL)
    .refine((value) => !leavesTheWeb(value), "must be a web address. Start it with https://")
    .nullish()
    .transform(orNull)
    .meta({ description });
const clearable = (description: string) =>
  text(MAX_TEXT)
    .optional()
    .transform(orNull)
    .meta({ description: `${description} An empty string clears it.` });
const clearableUrl = (description: string) =>
  text(MAX_URL)
    .refine((value) => value === "" || isWebUrl(value), NOT_URL)
    .optional()
    .transform(orNull)
    .meta({ description: `${description} An absolute URL. An empty string clears it.` });

/** What create and update take: null and the empty string mean that there is no value. */
export const contactFields = {
  email: emailOrNothing,
  first_name: textOrNothing(MAX_TEXT, "Given name."),
  last_name: textOrNothing(MAX_TEXT, "Family name."),
  company: textOrNothing(MAX_TEXT, "The company's name."),
  job_title: textOrNothing(MAX_TEXT, "The person's job title."),
  phone: textOrNothing(MAX_TEXT, "A phone number, as given."),
  socialnet_url: urlOrNothing("The URL of the person's profile on the professional network."),
  website: urlOrNothing("The person's or the company's website."),
};

/** What assert takes: strings alone, and URLs that are URLs. */
export const assertedFields = {
  email,
  first_name: clearable("Given name."),
  last_name: clearable("Family name."),
  company: clearable("The company's name."),
  job_title: clearable("The person's job title."),
  phone: clearable("A phone number, as given."),
  website: clearableUrl("The person's or the company's website."),
  socialnet_url: clearableUrl("The person's profile on the professional network."),
};

export const Contact = z
  .object({
    id: z.uuid(),
    email: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    company: z.string().nullable(),
    job_title: z.string().nullable(),
    phone: z.string().nullable(),
    socialnet_url: z.string().nullable(),
    website: z.string().nullable(),
    lifecycle: z
      .string()
      .nullable()
      .describe(`One of ${LIFECYCLE.join(", ")}.`),
    source: z
      .string()
      .nullable()
      .describe("Where the contact came from: public_api (an API key), member, import, or sample."),
    tags: z.array(z.string()).max(MAX_TAGS).nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Contact", description: "A contact that isn't archived." });

export const example = {
  email: "ada@lovelace.example",
  first_name: "Ada",
  last_name: "Lovelace",
  company: "Analytical Engines",
};

export const Activity = z
  .object({
    id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    type: z.string().describe("What happened: a type of log_activity, or one that only the server writes."),
    subject: z.string().nullable(),
    body: z.string().nullable(),
    metadata: z
      .record(z.string(), z.unknown())
      .describe("Free-form. The server adds source, and api_key_id if a key wrote the entry."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Activity", description: "One entry of a contact's timeline." });

export const lastMessage = Activity.nullable().describe(
  "The latest message of the contact's conversation, if it isn't last_reply.",
);

export const notInterested = z
  .boolean()
  .describe("Whether a teammate marked the contact's last reply as not interested.");

export const lastReply = Activity.nullable().describe(
  "The last reply of this contact, or of another contact with the same profile.",
);
