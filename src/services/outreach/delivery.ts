import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { MailDelivery } from "../../domain/outreach/sending.ts";
import type { Step } from "../../domain/outreach/sequence.ts";
import { hasMailServer } from "./sending-conditions.ts";

/** How many of the steps are emails. */
export function countEmails(steps: readonly Step[]): number {
  return steps.filter(({ type }) => type === "email").length;
}

/**
 * Where the emails of a sequence go when it starts to send. Without a mail server, the caller must choose files, so that
 * no email is skipped silently.
 *
 * @throws Problem mail_not_configured
 */
export async function decideDelivery(ctx: Context, given: MailDelivery | undefined): Promise<MailDelivery> {
  if (given === "files") return given;
  if (await hasMailServer(ctx)) return "send";
  const { defaultDelivery } = await ctx.store.workspace.mail();
  if (given === undefined && defaultDelivery !== null) return defaultDelivery;
  throw problem("mail_not_configured");
}
