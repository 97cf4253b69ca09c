import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { findAuthorization, findRecipient, requireCompany } from "../../services/outreach/approvals.ts";
import { enroll } from "../../services/outreach/enrollment.ts";
import { requireOutreach } from "../../services/outreach/sending-conditions.ts";
import { isSuppressed } from "../../services/outreach/suppression.ts";
import type { SequenceRow } from "../../store/outreach.ts";
import { recordId } from "../fields.ts";
import { SequenceEnrollment, toEnrollment } from "./sequence-schema.ts";

export const enrollContact = agentOperation({
  name: "enroll_contact",
  area: "sequences",
  title: "Enroll a contact in a sequence",
  description:
    "Enrolls a contact in a sequence, which the server sends later. An activated approval must cover the contact " +
    "and the current version of the sequence. The contact needs a confirmed company: one that a member wrote, " +
    "imported, confirmed or approved. Contacts on the do-not-contact list or already active in the sequence are refused. No " +
    "contact is enrolled while outreach is paused or this server's outbound gate is closed.",
  access: { scope: "sequences.write" },
  http: { method: "POST", path: "/sequences/enroll", statuses: [201], location: "/contacts/{contact_id}" },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["outbound", "billing"],
  errors: [
    "sequence_not_found",
    "contact_not_found",
    "sequence_not_authorized",
    "contact_not_authorized",
    "company_confirmation_required",
    "WORKSPACE_PAUSED",
    "contact_suppressed",
    "already_enrolled",
  ],
  input: z.object({ sequence_id: recordId("sequence"), contact_id: recordId("contact") }).meta({
    examples: [
      { sequence_id: "0193a1f0-7c1e-7b0a-9f3e-2d6c5b4a3f21", contact_id: "0193a1f0-8d2f-7c1b-8a4f-3e7d6c5b4a32" },
    ],
  }),
  output: SequenceEnrollment,
  async handler(ctx, { sequence_id, contact_id }) {
    const sequence = await ctx.store.sequences.find(sequence_id);
    if (sequence === undefined) throw problem("sequence_not_found");
    const contact = await findRecipient(ctx.store, contact_id);
    if (contact === undefined) throw problem("contact_not_found");

    await requireAuthorized(ctx, sequence);
    const authorization = await findAuthorization(ctx, sequence, contact);
    if (authorization === undefined) {
      throw problem(
        "contact_not_authorized",
        "contact_id: is not in an activated approval of this sequence. Ask a teammate to approve this contact.",
      );
    }
    requireCompany(contact, authorization);
    await requireOutreach(ctx);
    if (await isSuppressed(ctx.store, contact.email)) {
      throw problem("contact_suppressed", "This contact is on the do-not-contact list. Don't contact them.");
    }

    const enrollment = await enroll(ctx, sequence, contact.id, authorization);
    if (enrollment === undefined) throw problem("already_enrolled");
    return { data: toEnrollment(enrollment, ctx.workspaceId) };
  },
});

async function requireAuthorized(ctx: Context, { id, status, stepsHash }: SequenceRow): Promise<void> {
  if (status === "archived") {
    throw problem("sequence_not_authorized", "This sequence is archived. Choose another sequence.");
  }
  if (await ctx.store.approvals.anyApplied(id, stepsHash)) return;
  throw problem(
    "sequence_not_authorized",
    "sequence_id: has no activated approval for its current version. Ask a teammate to approve and activate an audience.",
  );
}
