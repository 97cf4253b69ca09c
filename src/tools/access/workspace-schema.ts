import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { readOnlyReason } from "../../core/policy.ts";
import { BILLING_STATES, type Billing } from "../../domain/access/billing.ts";
import { OWN_PROPOSALS } from "../../domain/access/roles.ts";
import { isoOrNull } from "../../lib/time.ts";
import { hasMailServer } from "../../services/outreach/sending-conditions.ts";
import type { Plan as PlanRow, SendingPolicy as PolicyRow } from "../../store/access.ts";
import { windows } from "../fields.ts";

const allowance = z.int().min(0).nullable();

export const Plan = z.object({
  name: z.string(),
  contact_allowance: allowance.describe("The maximum number of contacts that aren't archived. Null: no limit."),
  socialnet_allowance: allowance.describe("The maximum number of social-network actions per month. Null: no limit."),
});

export function toPlan({ name, contactAllowance, socialnetAllowance }: PlanRow): z.infer<typeof Plan> {
  return { name, contact_allowance: contactAllowance, socialnet_allowance: socialnetAllowance };
}

export const WorkspaceBilling = z.object({
  state: z.enum(BILLING_STATES),
  ends_at: z.iso.datetime().nullable(),
  read_only_reason: z.string().nullable().describe("Why the workspace is read-only, in words. Null if it is not."),
});

export function toBilling(billing: Billing, now: number): z.infer<typeof WorkspaceBilling> {
  return {
    state: billing.state,
    ends_at: isoOrNull(billing.endsAt),
    read_only_reason: readOnlyReason(billing, now) ?? null,
  };
}

export const SendingPolicy = z.object({
  time_zone: z.string(),
  windows,
  daily_cap: z.int().nullable(),
  sender_name: z.string().nullable(),
});

export function toPolicy({ timeZone, windows, dailyCap, senderName }: PolicyRow): z.infer<typeof SendingPolicy> {
  return { time_zone: timeZone, windows, daily_cap: dailyCap, sender_name: senderName };
}

export const OwnProposals = z.enum(OWN_PROPOSALS).describe("Whether people can approve what they proposed themselves.");

export const Deployment = z
  .object({
    outbound_gate: z.enum(["open", "closed"]),
    socialnet_execution: z.enum(["on", "off"]),
    email: z
      .enum(["send", "none"])
      .describe("Whether there is a mail server. none: emails wait, unless their sequence saves them to files."),
  })
  .describe("What the server admin allows this server to send, for all its workspaces.");

export async function toDeployment(ctx: Pick<Context, "store" | "deployment">): Promise<z.infer<typeof Deployment>> {
  const { outboundGate, socialnetExecution } = ctx.deployment;
  const email = (await hasMailServer(ctx)) ? "send" : "none";
  return { outbound_gate: outboundGate, socialnet_execution: socialnetExecution, email };
}
