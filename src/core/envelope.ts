import { z } from "zod";
import { isBare, type Problem } from "./problem.ts";

export const Failure = z
  .object({
    data: z.null(),
    error: z.string().describe("What is wrong and how to fix it, for a person."),
    code: z.string().describe("Stable and machine-readable: branch on this, not on the status."),
    correlationId: z.string().optional().describe("On a 500: identifies the error in the server's log."),
    quota: z
      .object({ resource: z.string(), limit: z.int(), used: z.int(), plan: z.string() })
      .optional()
      .describe("On a 429 whose code begins with quota_exceeded."),
  })
  .meta({ id: "Failure", description: "Every refusal." });

/** The refusal of a socialnet action that is not possible now. */
export const Refusal = z
  .object({
    error: z.string().describe("Why the command can't run now and how to fix it, for a person."),
    reason: z.string().describe("Why the command can't run now, machine-readable."),
    nextWindowAt: z.iso.datetime().optional().describe("When to try again, if waiting helps."),
  })
  .meta({ description: "The command can't run now." });

/** `{ data: null, error, code }`, with what the problem adds; `correlationId` only on an unexpected error. */
export function failure(problem: Problem, correlationId?: string): string {
  if (isBare(problem.code)) return JSON.stringify({ error: problem.message, ...problem.extra });
  return JSON.stringify({
    data: null,
    error: problem.message,
    code: problem.code,
    ...problem.extra,
    ...(correlationId === undefined ? {} : { correlationId }),
  });
}
