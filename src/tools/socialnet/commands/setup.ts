import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { nextStep } from "../../../services/socialnet/eligibility.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import {
  AgentAccount,
  type AgentCommand,
  Health,
  Instructions,
  showAccount,
  showHealth,
  showInstructions,
  subscribable,
} from "./shared.ts";

/** What setup answers. It is the one command that a key without an account can call. */
const SetupAnswer = z.object({
  bound: z.boolean().describe("Whether this key acts for an account."),
  account: AgentAccount.nullable(),
  executionActivated: z.boolean().describe("Whether this server allows claim and start."),
  health: Health,
  events: z.array(z.string()).describe("The events that this key can subscribe to."),
  commands: z.array(z.string()),
  nextStep: z.string().nullable().describe("What is missing before you can execute, and who can change it. Else null."),
  instructions: Instructions,
});

export const SETUP = {
  name: "setup",
  does: "The account that this key acts for, whether execution is on, and your instructions. Call it first.",
  takes: {},
  next: "If nextStep is not null, tell your user what it says. If bound is false, end here. Otherwise send heartbeat.",
  answers: SetupAnswer,
  example: {},
} as const;

export async function answerSetup(
  ctx: Context,
  account: SocialnetAccountRow | undefined,
  commands: readonly Pick<AgentCommand, "name">[],
): Promise<z.infer<typeof SetupAnswer>> {
  return {
    bound: account !== undefined,
    account: account === undefined ? null : showAccount(account, ctx.now),
    executionActivated: ctx.deployment.socialnetExecution === "on",
    health: account === undefined ? null : await showHealth(ctx, account.id),
    events: subscribable(ctx.actor),
    commands: commands.map(({ name }) => name),
    nextStep: nextStep(ctx, account),
    instructions: showInstructions(ctx.options.instructionsVersion),
  };
}
