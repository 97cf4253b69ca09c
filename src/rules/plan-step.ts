import type { Context } from "../context.ts";
import { profileKey } from "../domain/contact.ts";
import type { Step } from "../domain/sequence.ts";
import { COPY_LIMITS } from "../domain/socialnet-action.ts";
import type { SequenceRow } from "../store/sequences.ts";
import type { SocialnetAccountRow } from "../store/socialnet.ts";
import { type AtStep, fillOrHold, hold } from "./at-step.ts";
import { planAction } from "./plan-action.ts";

/** A socialnet step becomes an action of the ledger, and the enrollment waits for what comes of it. */
export async function planStep(
  ctx: Context,
  at: AtStep,
  step: Extract<Step, { type: `socialnet_${string}` }>,
): Promise<void> {
  const { enrollment, sequence, record } = at;
  const { socialnet_url: recipientUrl } = record.contact;
  if (recipientUrl === null || profileKey(recipientUrl) === null) return hold(ctx, enrollment, "no_profile");
  const account = await accountFor(ctx, sequence);
  if (account === undefined) return hold(ctx, enrollment, "no_account");
  const [copy] = (await fillOrHold(ctx, at, step.type === "socialnet_connect" ? step.note : step.body)) ?? [];
  if (copy === undefined) return;
  const kind = step.type === "socialnet_connect" ? "connection_request" : "message";
  if ([...copy].length > COPY_LIMITS[kind]) {
    return hold(ctx, enrollment, "unsendable", `Filled, it is longer than ${COPY_LIMITS[kind]} characters.`);
  }
  const waits = { status: "waiting_on_action", dueAt: null } as const;
  if (!(await ctx.store.enrollments.wait(enrollment.id, enrollment.currentStep, waits))) return;
  await planAction(ctx, account, {
    ...{ contactId: enrollment.contactId, kind, origin: "engine", copy, recipientUrl, campaign: null },
    ...{ enrollmentId: enrollment.id, step: enrollment.currentStep, stepCount: sequence.steps.length },
  });
}

/** The account that the sequence names, or the only one there is. */
async function accountFor(ctx: Context, { socialnetAccountId }: SequenceRow): Promise<SocialnetAccountRow | undefined> {
  const { socialnetAccounts } = ctx.store;
  if (socialnetAccountId !== null) return socialnetAccounts.find(socialnetAccountId);
  const { rows, total } = await socialnetAccounts.list({ limit: 1, offset: 0 });
  return total === 1 ? rows[0] : undefined;
}
