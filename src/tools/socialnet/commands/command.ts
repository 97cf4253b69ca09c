import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { JsonText } from "../../../json-text.ts";
import type { Refused } from "../../../operation.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";

/** One of the commands of an agent: what it takes beside its name, and what it answers. */
export interface AgentCommand<
  N extends string = string,
  I extends z.ZodRawShape = z.ZodRawShape,
  O extends z.ZodType = z.ZodType,
> {
  name: N;
  /** What it does, in a sentence or two: for a model and a person alike. */
  does: string;
  takes: I;
  /** What holds between its fields: a condition, and what is wrong where it does not hold. */
  check?: [(input: z.output<z.ZodObject<I>>) => boolean, { path: string[]; error: string }];
  answers: O;
  example: { takes: z.input<z.ZodObject<I>>; answers: z.input<O> };
  /** Writes nothing. */
  reads?: true;
  /** Leads to an execution: refused before anything is looked at while agents may not execute on this server. */
  executes?: true;
  handler(
    ctx: Context,
    account: SocialnetAccountRow,
    input: z.output<z.ZodObject<I>>,
  ): Promise<z.output<O> | JsonText<z.output<O>> | Refused>;
}

/** The identity, for inference. */
export function defineCommand<N extends string, I extends z.ZodRawShape, O extends z.ZodType>(
  command: AgentCommand<N, I, O>,
): AgentCommand<N, I, O> {
  return command;
}

/** What several commands take. */
export const fields = {
  actionId: z.guid().toLowerCase().meta({ format: "uuid", description: "The action." }),
  leaseToken: z.guid().toLowerCase().meta({ format: "uuid", description: "What the claim answered." }),
  profileUrl: z.string().min(1).max(500).describe("The address of a profile on the social network."),
  evidence: z.string().trim().min(1).max(2_000).describe("What the agent saw, in its own words."),
  time: z.iso.datetime({ offset: true }),
};

/** How far a caller's clock may run ahead of the server's. */
export const AHEAD_MS = 5 * 60_000;
