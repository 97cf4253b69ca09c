import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { htmlOf, textOf } from "../../domain/outreach/message-body.ts";
import { HOLDS, type HoldReason } from "../../domain/outreach/sending.ts";
import type { Step } from "../../domain/outreach/sequence.ts";
import { type Fillings, fillingsOf, fillTemplate } from "../../domain/outreach/template.ts";
import { UNSUBSCRIBE_PATH, unsubscribeUrl } from "../../domain/outreach/unsubscribe-link.ts";
import { findRecipient } from "../../services/outreach/approvals.ts";
import { isSuppressed } from "../../services/outreach/suppression.ts";
import { oneOf, recordId } from "../fields.ts";

/** A placeholder of the token, which is created when a message is sent: a preview unsubscribes no contact. */
const TOKEN = "added-when-sent";

const PreviewedStep = z.object({
  step: z.int().describe("Index of the step, from 0."),
  type: z.enum(["email", "socialnet_connect", "socialnet_message", "wait"]),
  held_reason: oneOf(HOLDS, "Why the step would be on hold. Null if it would be sent.").nullable(),
  unfilled: z.array(z.string()).describe("Placeholders without a value."),
  to: z.string().nullable().describe("The recipient's address or profile."),
  subject: z.string().nullable(),
  text: z.string().nullable().describe("An email's text with the unsubscribe line, or an action's copy."),
  html: z.string().nullable().describe("An email's HTML."),
});

export const previewSequence = personOperation({
  name: "preview_sequence",
  area: "sequences",
  title: "Preview a sequence for a contact",
  description:
    "Fills each step of a sequence with a contact's fields, as it would be sent now. If a step would be on hold, " +
    "held_reason says why. Nothing is sent, and the unsubscribe address is a placeholder.",
  access: { permission: "view" },
  effect: "read",
  errors: ["sequence_not_found", "contact_not_found"],
  input: z.strictObject({ sequence_id: recordId("sequence"), contact_id: recordId("contact") }),
  output: z.object({
    sequence_id: z.uuid(),
    contact_id: z.uuid(),
    suppressed: z.boolean().describe("Whether the address is on the do-not-contact list. Nothing is sent to it."),
    steps: z.array(PreviewedStep),
  }),
  async handler(ctx, { sequence_id, contact_id }) {
    const sequence = await ctx.store.sequences.find(sequence_id);
    if (sequence === undefined) throw problem("sequence_not_found");
    const recipient = await findRecipient(ctx.store, contact_id);
    if (recipient === undefined) throw problem("contact_not_found");
    const { senderName } = await ctx.store.workspace.sendingPolicy();
    const { email, socialnet_url } = recipient;
    const fillings = fillingsOf(recipient, senderName);
    const to = { email, profile: socialnet_url };
    const url = unsubscribeUrl(ctx.pageUrl(UNSUBSCRIBE_PATH).slice(0, -UNSUBSCRIBE_PATH.length), TOKEN);
    const steps = sequence.steps.map((step, i) => ({ step: i, type: step.type, ...preview(step, fillings, to, url) }));
    const suppressed = await isSuppressed(ctx.store, email);
    return { data: { sequence_id, contact_id, suppressed, steps } };
  },
});

type Preview = Omit<z.infer<typeof PreviewedStep>, "step" | "type">;
const NOTHING: Preview = { held_reason: null, unfilled: [], to: null, subject: null, text: null, html: null };

function preview(
  step: Step,
  fillings: Fillings,
  { email, profile }: { email: string | null; profile: string | null },
  unsubscribe: string,
): Preview {
  if (step.type === "wait") return NOTHING;
  const to = step.type === "email" ? email : profile;
  const body = fill(step.type === "socialnet_connect" ? step.note : step.body, fillings);
  const subject = step.type === "email" ? fill(step.subject, fillings) : undefined;
  const unfilled = [...new Set([...(subject?.unfilled ?? []), ...body.unfilled])];
  const missing: HoldReason = step.type === "email" ? "no_address" : "no_profile";
  return {
    held_reason: to === null ? missing : unfilled.length > 0 ? "unfilled" : null,
    unfilled,
    to,
    subject: subject?.text ?? null,
    text: step.type === "email" ? textOf(body.text, unsubscribe) : body.text,
    html: step.type === "email" ? htmlOf(body.text, unsubscribe) : null,
  };
}

/** A text that cannot be filled keeps its placeholders, so that people see where. */
function fill(template: string, fillings: Fillings): { text: string; unfilled: string[] } {
  const filled = fillTemplate(template, fillings);
  return "text" in filled ? { ...filled, unfilled: [] } : { text: template, ...filled };
}
