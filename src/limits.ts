import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { problem } from "./problem.ts";

/** Requests each key may make in 60 seconds, by budget. Every budget has a counter of its own. */
export const BUDGETS = {
  write: 60,
  checklist_read: 120,
  mcp: 120,
} as const;

const WINDOW_SECONDS = 60;

/** An operation names the one it spends; `mcp` is what every message to the MCP endpoint spends. */
export type Budget = keyof typeof BUDGETS;

export interface Limits {
  /** @throws Problem rate_limited, with the seconds to wait */
  spend(budget: Budget, keyId: string): Promise<void>;
}

/** Counters in this process: enforcement is approximate by contract, and a restart starts them anew. */
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
        const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
        throw problem(
          "rate_limited",
          `More than ${BUDGETS[budget]} requests in ${WINDOW_SECONDS} seconds. Retry after ${retryAfter} s.`,
          { retryAfter },
        );
      }
    },
  };
}

/** For the benchmark alone: a server without budgets. */
export const unlimited: Limits = { spend: async () => undefined };
