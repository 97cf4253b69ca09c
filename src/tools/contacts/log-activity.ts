import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { isSystemActivity, WRITABLE_ACTIVITIES } from "../../domain/contacts/activity.ts";
import { recordActivity } from "../../services/contacts/record-activity.ts";
import { always, recordId } from "../fields.ts";
import { Activity } from "./contact-schema.ts";

const MAX_METADATA_BYTES = 16 * 1024;

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What is nested too deep to be written is the pipeline's to refuse. */
function fits(metadata: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(metadata)) <= MAX_METADATA_BYTES;
  } catch {
    return true;
  }
}

/** Not a record of zod's: that leaves out a field called `__proto__`. */
const metadata = z
  .unknown()
  .refine(isObject, { error: "must be an object", abort: true })
  .refine(fits, `must be ${MAX_METADATA_BYTES} bytes of JSON or less. Send less`)
  .meta({
    type: "object",
    propertyNames: { type: "string" },
    additionalProperties: {},
    description: "Anything worth keeping, up to 16 KiB of JSON. The server writes source and api_key_id itself.",
  });

/** Of a text that may not be one: its own schema says so. */
const hasText = (text: unknown) =>
  text !== undefined && text !== null && (typeof text !== "string" || text.trim() !== "");

const type = z
  .enum(WRITABLE_ACTIVITIES, {
    error: ({ input }) =>
      isSystemActivity(input)
        ? `can't be ${input} because the server logs it itself. Send one of ${WRITABLE_ACTIVITIES.join(", ")}`
        : undefined,
  })
  .describe("What happened. The server's own types, such as email_sent, cannot be written.");

export const logActivity = agentOperation({
  name: "log_activity",
  area: "activities",
  title: "Log an activity",
  description:
    "Adds an entry to a contact's timeline. A note needs a body, and every other type needs a subject. Outgoing calls, " +
    "voicemails, text messages and social-network messages count as reaching out and update the contact's " +
    "last-contacted time. meeting_booked creates an unconfirmed meeting, which a member confirms after it took " +
    "place. meeting_completed doesn't confirm a meeting.",
  access: { scope: "activities.write" },
  http: { method: "POST", path: "/contacts/{id}/activities", statuses: [201], location: "/contacts/{contact_id}" },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found"],
  freeForm: ["metadata"],
  input: z
    .object({
      id: recordId("contact"),
      type,
      subject: z
        .string()
        .max(500)
        .trim()
        .optional()
        .describe("Required, except for note_added, where the default is Note."),
      body: z.string().max(20_000).optional().describe("The text, stored as sent. Required for note_added."),
      metadata: metadata.optional(),
    })
    .refine((activity) => activity.type === "note_added" || hasText(activity.subject), {
      path: ["subject"],
      error: "can't be blank. Only a note needs no subject",
      when: always,
    })
    .refine((activity) => activity.type !== "note_added" || hasText(activity.body), {
      path: ["body"],
      error: "can't be blank for a note",
      when: always,
    })
    .meta({ examples: [{ type: "call_made", subject: "Intro call", body: "Wants a demo next week." }] }),
  output: Activity,
  async handler(ctx, { id: contactId, type, subject, body, metadata }) {
    if ((await ctx.store.contacts.find(contactId)) === undefined) throw problem("contact_not_found");
    const activity = await recordActivity(ctx, {
      contactId,
      type,
      subject: subject || "Note",
      body: body || null,
      ...(metadata === undefined ? {} : { metadata: metadata as Record<string, unknown> }),
    });
    if (type === "meeting_booked") {
      const open = { heldOn: null, note: null, confirmedBy: null, confirmedAt: null };
      const meeting = { id: ctx.newId(), contactId, activityId: activity.id, ...open, createdAt: ctx.now };
      await ctx.store.meetings.insert(meeting);
    }
    return { data: activity, record: contactId };
  },
});
