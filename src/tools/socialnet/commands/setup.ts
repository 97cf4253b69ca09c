import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { nextStep } from "../../../services/socialnet/eligibility.ts";
import { AGENT_INSTRUCTIONS } from "../../../services/socialnet/instructions.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import { AgentAccount, Health, Instructions, showAccount, showHealth, subscribable } from "./shared.ts";

/** What setup answers; it is the one command that a key without an account may give. */
export const SetupAnswer = z.object({
  bound: z.boolean().describe("Whether the key is bound to an account; an admin creates keys that are."),
  account: AgentAccount.nullable(),
  executionActivated: z.boolean().describe("Whether claim and start work on this server."),
  health: Health,
  events: z.array(z.string()).describe("The events that this key can subscribe to."),
  commands: z.array(z.string()),
  nextStep: z.string().nullable().describe("What is missing before you can execute, and who can change it. Else null."),
  instructions: Instructions,
});

export async function answerSetup(
  ctx: Context,
  account: SocialnetAccountRow | undefined,
  commands: string[],
): Promise<z.infer<typeof SetupAnswer>> {
  return {
    bound: account !== undefined,
    account: account === undefined ? null : showAccount(account, ctx.now),
    executionActivated: ctx.deployment.socialnetExecution === "on",
    health: account === undefined ? null : await showHealth(ctx, account.id),
    events: subscribable(ctx.actor),
    commands,
    nextStep: nextStep(ctx, account),
    instructions: AGENT_INSTRUCTIONS,
  };
}
