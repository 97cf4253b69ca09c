import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { profileKey, profilePin } from "../../domain/contacts/address.ts";
import { ACTION_KINDS, COPY_LIMITS } from "../../domain/socialnet/action.ts";
import { isSuppressed } from "../../services/outreach/suppression.ts";
import { requireAccount, requireReadMode, requireReadProfile } from "../../services/socialnet/accounts.ts";
import { requireCopy, requireReadReply } from "../../services/socialnet/actions.ts";
import { planAction } from "../../services/socialnet/plan-action.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { recordId } from "../fields.ts";
import { readAutomationMode, readProfileUrl } from "./account-schema.ts";
import { PlannedAction, readLastReply, showPlanned } from "./action-schema.ts";

const input = z.strictObject({
  account_id: recordId("social account"),
  read_profile_url: readProfileUrl,
  read_automation_mode: readAutomationMode,
  contact_id: recordId("contact"),
  kind: z.enum(ACTION_KINDS).describe("For a connection_request, copy is the note and can be empty."),
  copy: z
    .string()
    .max(COPY_LIMITS.message)
    .describe(
      `The exact text to send. A connection request can have ${COPY_LIMITS.connection_request} characters at most.`,
    ),
  recipient_url: z
    .string()
    .max(2_000)
    .optional()
    .describe("The contact's profile that you read. Without it, the current profile is used."),
  read_last_reply: readLastReply,
  campaign: z.string().max(200).trim().min(1).optional().describe("What the action is part of, for reviewers."),
});

export const planSocialnetAction = personOperation({
  name: "plan_socialnet_action",
  area: "socialnet",
  title: "Plan an action",
  description:
    "Plans a connection request or a message to a contact, with its exact copy, for the agent of an account. The " +
    "action needs approval, except on an automatic account. There it needs approval only if the contact has " +
    "replied or might have opted out, and you don't have approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: [
    "socialnet_account_not_found",
    "contact_not_found",
    "contact_suppressed",
    "already_planned",
    "version_conflict",
  ],
  input,
  output: PlannedAction,
  handler: async (ctx, given) => ({ data: await showPlanned(ctx, await planByPerson(ctx, given)) }),
});

/**
 * Plans what a person wrote, after everything that they read was compared with what there is.
 *
 * @param unattended whether an automatic account approves it
 */
export async function planByPerson(
  ctx: Context,
  { account_id, contact_id, kind, copy, recipient_url, campaign, ...read }: z.output<typeof input>,
  unattended = true,
): Promise<ActionRow> {
  const account = await requireAccount(ctx, account_id);
  // On an automatic account the plan is the approval, of its sender and its recipient, and after the reply that was read.
  requireReadProfile(account, read.read_profile_url);
  requireReadMode(account, read.read_automation_mode);
  const record = await ctx.store.contacts.find(contact_id);
  if (record === undefined) throw problem("contact_not_found");
  await requireReadReply(ctx, contact_id, read.read_last_reply);
  requireCopy(kind, copy);
  const { socialnet_url: recipientUrl, email } = record.contact;
  if (recipientUrl === null || profileKey(recipientUrl) === null) {
    throw problem("validation_failed", "contact_id: this contact has no profile URL. Set its socialnet_url first.");
  }
  if (recipient_url !== undefined && profilePin(recipient_url) !== profilePin(recipientUrl)) {
    throw problem(
      "version_conflict",
      "recipient_url: the contact's profile changed since you read it. Review it again.",
    );
  }
  if (await isSuppressed(ctx.store, email)) throw problem("contact_suppressed");
  await requireNew(ctx, { accountId: account.id, contactId: contact_id, kind, copy });
  const planned = { contactId: contact_id, kind, copy, recipientUrl, origin: "member" } as const;
  const context = { campaign: campaign ?? null, enrollmentId: null, sequenceId: null, step: null, stepCount: null };
  return planAction(ctx, account, { ...planned, ...context }, unattended);
}

type Wanted = Pick<ActionRow, "accountId" | "contactId" | "kind" | "copy">;

/** A plan that is made twice is one whose answer was lost: the contact would be told the same thing twice. */
async function requireNew(ctx: Context, { accountId, contactId, kind, copy }: Wanted): Promise<void> {
  const open = await ctx.store.socialnetActions.open({ contactId });
  const same = open.find((one) => one.accountId === accountId && one.kind === kind && one.copy === copy);
  if (same !== undefined)
    throw problem(
      "already_planned",
      `copy: is already planned for this contact in action ${same.id}. Edit that action instead.`,
    );
}
