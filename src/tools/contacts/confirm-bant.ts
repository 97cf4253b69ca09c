import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { iso } from "../../lib/time.ts";
import { recordId } from "../fields.ts";
import { bantAnswer, bantQuestions } from "./deal-schema.ts";

const answers = bantQuestions(z.strictObject(bantAnswer));

export const confirmBant = personOperation({
  name: "confirm_bant",
  area: "contacts",
  title: "Confirm a BANT assessment",
  description:
    "Confirms a contact's budget, authority, need and timeline, and stores the answers. The contact can then become " +
    "an opportunity, even if some answers are no.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found"],
  input: z.strictObject({ contact_id: recordId("contact"), ...answers }),
  output: z.object({
    id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    ...answers,
    confirmed_by: z.string(),
    confirmed_at: z.iso.datetime(),
  }),
  async handler(ctx, { contact_id: contactId, ...answers }) {
    if ((await ctx.store.contacts.find(contactId)) === undefined) throw problem("contact_not_found");
    const id = ctx.newId();
    const confirmed = { confirmedBy: ctx.actor.id, confirmedAt: ctx.now };
    await ctx.store.bant.insert({ id, contactId, answers, ...confirmed, createdAt: ctx.now });
    const data = {
      id,
      contact_id: contactId,
      workspace_id: ctx.workspaceId,
      ...answers,
      confirmed_by: ctx.actor.id,
      confirmed_at: iso(ctx.now),
    };
    await ctx.audit({ recordId: id, before: null, after: data });
    return { data };
  },
});
