import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { type SimulatedContact, simulate } from "../../domain/outreach/simulate.ts";
import { fillingsOf, type Recipient } from "../../domain/outreach/template.ts";
import { isConnected } from "../../domain/socialnet/social-status.ts";
import { iso } from "../../lib/time.ts";
import { isSuppressed } from "../../services/outreach/suppression.ts";
import { recordId } from "../fields.ts";

const MAX_CONTACTS = 500;

export const simulateSequence = personOperation({
  name: "simulate_sequence",
  area: "sequences",
  title: "Simulate a sequence",
  description:
    "Simulates a sequence without sending anything: what would be sent, when and to whom. It keeps to the sending " +
    "hours and the daily limit. It assumes that no contact replies, and that every action completes immediately. " +
    "A step that would be on hold ends the simulation for its contact. Without contacts or an audience, it uses " +
    "the newest contacts.",
  access: { permission: "view" },
  effect: "read",
  errors: ["sequence_not_found", "contact_not_found", "approval_not_found"],
  input: z.strictObject({
    sequence_id: recordId("sequence"),
    contact_ids: z.array(recordId("contact")).min(1).max(MAX_CONTACTS).optional().describe("The contacts to simulate."),
    approval_id: recordId("approval")
      .optional()
      .describe("The approved audience to simulate, if no contacts are given. Archived contacts are skipped."),
    contacts: z
      .int()
      .min(1)
      .max(MAX_CONTACTS)
      .default(10)
      .describe("How many of the newest contacts to use, if no contacts and no audience are given."),
    days: z.int().min(1).max(365).default(30).describe("How far ahead to simulate."),
  }),
  output: z.object({
    sequence_id: z.uuid(),
    name: z.string(),
    from: z.iso.datetime(),
    time_zone: z.string().describe("The workspace's time zone, which its sending hours are in."),
    days: z.int(),
    contacts: z.int(),
    events: z.array(
      z.object({
        at: z.iso.datetime(),
        contact_id: z.uuid(),
        contact: z.string(),
        step: z.int().describe("Index of the step, from 0."),
        type: z.enum(["email", "socialnet_connect", "socialnet_message", "held", "completed"]),
        what: z
          .string()
          .describe("An email's subject, an action's copy, or why the step is on hold. Empty for completed."),
      }),
    ),
  }),
  async handler(ctx, { sequence_id: id, contact_ids, approval_id, contacts, days }) {
    const sequence = await ctx.store.sequences.find(id);
    if (sequence === undefined) throw problem("sequence_not_found");
    const audience = approval_id === undefined ? undefined : await audienceOf(ctx, id, approval_id);
    const ids = contact_ids ?? audience ?? (await newest(ctx, contacts));
    const recipients = await ctx.store.approvals.recipients(ids);
    const live = new Set(recipients.map((recipient) => recipient.id));
    const missing = contact_ids === undefined ? -1 : ids.findIndex((asked) => !live.has(asked));
    if (missing !== -1)
      throw problem(
        "contact_not_found",
        `contact_ids.${missing}: is not the id of a contact. Remove it, or send another id.`,
      );
    const policy = await ctx.store.workspace.sendingPolicy();
    const inOrder = recipients.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    const cast = await Promise.all(inOrder.map((recipient) => toCast(ctx, recipient, policy.senderName)));
    const events = simulate(sequence.steps, cast, policy, { from: ctx.now, days });
    return {
      data: {
        sequence_id: id,
        name: sequence.name,
        from: iso(ctx.now),
        time_zone: policy.timeZone,
        days,
        contacts: cast.length,
        events: events.map(({ at, contactId, contactName, ...event }) => ({
          at: iso(at),
          contact_id: contactId,
          contact: contactName,
          ...event,
        })),
      },
    };
  },
});

async function audienceOf({ store }: Context, sequenceId: string, id: string): Promise<string[]> {
  const approval = await store.approvals.find(id);
  if (approval?.sequenceId !== sequenceId) throw problem("approval_not_found");
  const pinned = await store.approvals.audience(id, { limit: MAX_CONTACTS, offset: 0 });
  return pinned.map(({ contactId }) => contactId);
}

async function newest(ctx: Context, limit: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < limit) {
    const page = { limit: Math.min(100, limit - ids.length), offset: ids.length };
    const { rows } = await ctx.store.contacts.list(page);
    const found = rows.parse().map((contact) => contact.id);
    ids.push(...found);
    if (found.length < page.limit) break;
  }
  return ids;
}

async function toCast(ctx: Context, recipient: Recipient, sender_name: string | null): Promise<SimulatedContact> {
  const { id, email, socialnet_url, first_name, last_name } = recipient;
  return {
    id,
    name: [first_name, last_name].filter(Boolean).join(" ") || email || id,
    hasEmail: email !== null,
    hasProfile: socialnet_url !== null,
    connected: isConnected((await ctx.store.contacts.find(id))?.socialStatus ?? "none"),
    suppressed: await isSuppressed(ctx.store, email),
    fillings: fillingsOf(recipient, sender_name),
  };
}
