import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SECOND_MS } from "../lib/time.ts";
import { problem } from "./problem.ts";

/** Requests that each key may make in 60 seconds, by budget. Every budget has its own counter. */
export const BUDGETS = {
  write: 60,
  checklist_read: 120,
  socialnet: 120,
  mcp: 120,
} as const;

/** An operation names the budget it spends. Every message to the MCP endpoint spends `mcp` as well. */
export type Budget = keyof typeof BUDGETS;

export interface Limits {
  /** @throws Problem rate_limited, with the seconds to wait */
  spend(budget: Budget, keyId: string): Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Counters of this process: enforcement is approximate by contract, and a restart resets them. */
export function createLimits(): Limits {
  const limiters = Object.fromEntries(
    Object.entries(BUDGETS).map(([budget, points]) => [
      budget,
      new RateLimiterMemory({ keyPrefix: budget, points, duration: WINDOW_SECONDS }),
    ]),
  );
  return {
    async spend(budget, keyId) {
      try {
        await limiters[budget]?.consume(keyId);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const retryAfter = secondsToWait(refusal);
        throw problem(
          "rate_limited",
          `More than ${BUDGETS[budget]} requests in ${WINDOW_SECONDS} seconds. Retry after ${retryAfter} s.`,
          { retryAfter },
        );
      }
    },
  };
}

/** For the Retry-After header: whole seconds, at least 1. */
export function secondsToWait({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
}

/** For tests and the benchmark alone: a server without budgets. */
export const unlimited: Limits = { spend: async () => undefined };
