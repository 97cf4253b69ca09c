import { z } from "zod";
import { profileKey } from "../../domain/contact.ts";
import { ACTION_KINDS, COPY_LIMITS } from "../../domain/socialnet-action.ts";
import { personOperation } from "../../operation.ts";
import { problem } from "../../problem.ts";
import { planAction } from "../../rules/plan-action.ts";
import { recordId } from "../ids.ts";
import { requireAccount } from "./account-settings.ts";
import { PlannedAction } from "./action-schema.ts";
import { requireCopy } from "./copy.ts";
import { showPlanned } from "./person-actions.ts";

export const planSocialnetAction = personOperation({
  name: "plan_socialnet_action",
  area: "socialnet",
  title: "Plan a socialnet action",
  description:
    "Plans a connection request or a message to a contact, with its exact copy, for the agent of an account. It waits for a person's approval, unless the account is automatic.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["socialnet_account_not_found", "contact_not_found", "contact_suppressed"],
  input: z.strictObject({
    account_id: recordId("socialnet account"),
    contact_id: recordId("contact"),
    kind: z.enum(ACTION_KINDS).describe("connection_request, whose copy is its note and may be empty; or message."),
    copy: z
      .string()
      .max(COPY_LIMITS.message)
      .describe(
        `Sent exactly as it reads: at most ${COPY_LIMITS.connection_request} characters with a connection request.`,
      ),
    campaign: z.string().trim().min(1).max(200).optional().describe("What it is part of, for whoever reads it."),
  }),
  output: PlannedAction,
  async handler(ctx, { account_id, contact_id, kind, copy, campaign = null }) {
    const account = await requireAccount(ctx, account_id);
    const record = await ctx.store.contacts.find(contact_id);
    if (record === undefined) throw problem("contact_not_found");
    requireCopy(kind, copy);
    const { socialnet_url: recipientUrl, email } = record.contact;
    if (recipientUrl === null || profileKey(recipientUrl) === null) {
      throw problem("validation_failed", "contact_id: this contact has no profile address; set its socialnet_url.");
    }
    if (email !== null && (await ctx.store.suppressions.has(email))) throw problem("contact_suppressed");
    const action = await planAction(ctx, account, {
      ...{ contactId: contact_id, kind, copy, recipientUrl, campaign },
      ...{ origin: "member", enrollmentId: null, step: null, stepCount: null },
    });
    return { data: await showPlanned(ctx, action) };
  },
});
