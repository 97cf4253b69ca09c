import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "./net/address.ts";
import { problem } from "./problem.ts";

/** Requests each key may make in 60 seconds, by budget. Every budget has a counter of its own. */
export const BUDGETS = {
  write: 60,
  checklist_read: 120,
  socialnet: 120,
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

/** Challenges a minute: of one principal to one host, and of all principals to it. */
const CHALLENGES = { own: 10, all: 60 } as const;

/** Counts what is sent, challenges if not told otherwise, so that nobody makes this server knock at a stranger's door. */
export function createChallengeLimits(what = "challenges") {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  const own = limiter(CHALLENGES.own);
  const all = limiter(CHALLENGES.all);
  return {
    /** @throws Problem challenge_limit */
    async spend(principal: string, host: string): Promise<void> {
      const mine = `${principal} ${host}`;
      await consume(own, mine, CHALLENGES.own, what);
      try {
        await consume(all, host, CHALLENGES.all, what);
      } catch (refusal) {
        // Nothing was sent: the caller's own count is as it was.
        await own.reward(mine);
        throw refusal;
      }
    },
  };
}

async function consume(limiter: RateLimiterMemory, key: string, max: number, what: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw problem("challenge_limit", `More than ${max} ${what} a minute to this host; try again later.`, {
      extra: { limit: "challenges_per_minute", max },
    });
  }
}

/** Failed sign-ins in a quarter of an hour: at an account from one address, at an account at all, from one address. */
const SIGN_INS = { pair: 10, account: 100, address: 50 } as const;
const SIGN_IN_SECONDS = 900;

/**
 * Counts tries to sign in; only those that failed stay counted. An account's own bound is ten times the one that a single
 * address meets, so that nobody shuts somebody else out with ease.
 */
export function createSignInLimits() {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: SIGN_IN_SECONDS });
  const counted = {
    pair: limiter(SIGN_INS.pair),
    account: limiter(SIGN_INS.account),
    address: limiter(SIGN_INS.address),
  };
  // What was typed may be of any length; what it hashes to takes the same room each time.
  const keyOf = (...parts: string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  // The address comes first: while it must wait, it makes no counters for names that it thinks up.
  const keysOf = (account: string, address = "unknown") => {
    const network = networkOf(address);
    return [
      [counted.address, network],
      [counted.pair, keyOf(network, account)],
      [counted.account, keyOf(account)],
    ] as const;
  };
  return {
    /** @throws Problem rate_limited, with the seconds to wait */
    async spend(account: string, address: string | undefined): Promise<void> {
      const spent: (readonly [RateLimiterMemory, string])[] = [];
      for (const [limit, key] of keysOf(account, address)) {
        try {
          await limit.consume(key);
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          // No password was looked at: the other counts are as they were.
          for (const [taken, of] of spent) await taken.reward(of);
          const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
          const minutes = Math.ceil(retryAfter / 60);
          throw problem("rate_limited", `Too many tries. Try again in ${minutes} min.`, { retryAfter });
        }
        spent.push([limit, key]);
      }
    },
    async forgive(account: string, address: string | undefined): Promise<void> {
      for (const [limit, key] of keysOf(account, address)) await limit.reward(key);
    },
  };
}

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** What a network may ask of the sign-in of clients: to be registered, in an hour, and for keys or their end, in a minute. */
const CONNECTS = { register: { points: 20, duration: 3_600 }, ask: { points: 60, duration: 60 } } as const;

/** Counts what anybody may ask without a key, by the network it comes from. */
export function createConnectLimits() {
  const limit = (bounds: (typeof CONNECTS)[keyof typeof CONNECTS]) => {
    const limiter = new RateLimiterMemory(bounds);
    /** @throws Problem rate_limited, with the seconds to wait */
    return async (address = "unknown"): Promise<void> => {
      try {
        await limiter.consume(networkOf(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
        throw problem("rate_limited", `Too many requests from this address. Retry after ${retryAfter} s.`, {
          retryAfter,
        });
      }
    };
  };
  return { register: limit(CONNECTS.register), ask: limit(CONNECTS.ask) };
}

export type ConnectLimits = ReturnType<typeof createConnectLimits>;

/** For the benchmark alone: a server without budgets. */
export const unlimited: Limits = { spend: async () => undefined };
