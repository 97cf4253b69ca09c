import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { LIFECYCLE } from "../../domain/contacts/lifecycle.ts";
import { recordMove, requireMove } from "../../services/contacts/lifecycle.ts";
import { editContact } from "../../services/contacts/write.ts";
import type { ContactPatch } from "../../store/contacts.ts";
import { atLeastOne, recordId } from "../fields.ts";
import { Contact, contactFields } from "./contact-schema.ts";

const editable = {
  ...contactFields,
  account_id: z
    .union([recordId("account"), z.literal("").transform(() => null), z.null()], { error: "must be a UUID" })
    .optional()
    .describe("The account (company record) of this workspace that the contact belongs to."),
  lifecycle: z
    .enum(LIFECYCLE)
    .optional()
    .describe(
      "The new stage, one step from the current one. Refused until a teammate has confirmed what the stage requires.",
    ),
};

export const updateContact = agentOperation({
  name: "update_contact",
  area: "contacts",
  title: "Update a contact",
  description:
    "Changes the given fields of a contact and keeps the others. Null and an empty string clear a field, but not lifecycle. Unknown " +
    "fields are ignored, and so are data_confidence, provenance and confidence_score, which the server sets. A " +
    "lifecycle change has conditions: lead needs a confirmed meeting, opportunity a confirmed BANT assessment, " +
    "customer a won deal. force: true is always refused. The source of every edit is recorded.",
  access: { scope: "contacts.write" },
  http: { method: "PATCH", path: "/contacts/{id}", statuses: [200] },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: [
    "contact_not_found",
    "account_not_found",
    "email_conflict",
    "force_not_permitted",
    "stage_not_adjacent",
    "meeting_required",
    "bant_required",
    "won_deal_required",
  ],
  input: z
    .object({
      id: recordId("contact"),
      ...editable,
      force: z.unknown().optional().describe("true is refused with 403."),
    })
    .refine(...atLeastOne(Object.keys(editable)))
    .meta({ examples: [{ job_title: "Countess of Computing" }] }),
  output: Contact,
  forbid: ({ force }) =>
    force === true
      ? problem("force_not_permitted", "force: can't be used. Remove it and meet the conditions of the change instead.")
      : undefined,
  async handler(ctx, { id, force: _, account_id, lifecycle, ...fields }) {
    const record = await ctx.store.contacts.find(id);
    if (record === undefined) throw problem("contact_not_found");
    const more: Pick<ContactPatch, "lifecycle" | "accountId"> = {};
    if (account_id !== undefined && account_id !== record.accountId) {
      if (account_id !== null && !(await ctx.store.accounts.exists(account_id))) throw problem("account_not_found");
      more.accountId = account_id;
    }
    if (lifecycle !== undefined && lifecycle !== record.lifecycle) {
      await requireMove(ctx, record, lifecycle);
      more.lifecycle = lifecycle;
    }
    const { contact } = await editContact(ctx, record, fields, more);
    if (more.lifecycle !== undefined) await recordMove(ctx, id, record.lifecycle, more.lifecycle);
    return { data: contact };
  },
});
