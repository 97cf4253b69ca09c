import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../lib/http-client/addresses.ts";
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
/** Letters that somebody may ask for in an hour: for one account, and from one address. */
const LETTERS = { account: 3, address: 20 } as const;
const LETTER_SECONDS = 3_600;
/** Where an account was signed in to from is remembered for so long, and for so many at a time. */
const KNOWN_MS = 30 * 86_400_000;
const MOST_KNOWN = 10_000;

type Counted = readonly [RateLimiterMemory, string];

/**
 * Counts tries to sign in; only those that failed stay counted. An account's own bound is ten times the one that a single
 * address meets, and does not bind an address that the account was signed in to from before: nobody shuts somebody else
 * out.
 */
export function createSignInLimits() {
  const limiter = (points: number, duration = SIGN_IN_SECONDS) => new RateLimiterMemory({ points, duration });
  const counted = {
    pair: limiter(SIGN_INS.pair),
    account: limiter(SIGN_INS.account),
    address: limiter(SIGN_INS.address),
  };
  const letters = {
    account: limiter(LETTERS.account, LETTER_SECONDS),
    address: limiter(LETTERS.address, LETTER_SECONDS),
  };
  const known = new Map<string, number>();
  // What was typed may be of any length; what it hashes to takes the same room each time.
  const keyOf = (...parts: string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  // The address comes first: while it must wait, it makes no counters for names that it thinks up.
  const keysOf = (account: string | undefined, address = "unknown"): Counted[] => {
    const network = networkOf(address);
    const all: Counted[] = [[counted.address, network]];
    if (account === undefined) return all;
    const pair = keyOf(network, account);
    all.push([counted.pair, pair]);
    if ((known.get(pair) ?? 0) <= Date.now()) all.push([counted.account, keyOf(account)]);
    return all;
  };
  return {
    /**
     * Without an account, where no password is tried.
     *
     * @throws Problem rate_limited, with the seconds to wait
     */
    async spend(account: string | undefined, address: string | undefined): Promise<void> {
      const spent: Counted[] = [];
      for (const [limit, key] of keysOf(account, address)) {
        try {
          await limit.consume(key);
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          // No password was looked at: the other counts are as they were.
          for (const [taken, of] of spent) await taken.reward(of);
          throw wait(refusal);
        }
        spent.push([limit, key]);
      }
    },
    async forgive(account: string | undefined, address: string | undefined): Promise<void> {
      for (const [limit, key] of keysOf(account, address)) await limit.reward(key);
    },
    /** Notes that the account was signed in to from there. */
    remember(account: string, address = "unknown"): void {
      const pair = keyOf(networkOf(address), account);
      known.delete(pair);
      known.set(pair, Date.now() + KNOWN_MS);
      const [oldest] = known.keys();
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    },
    /**
     * Whether the account may be sent another letter. What an account has used up is nobody's to know.
     *
     * @throws Problem rate_limited, where the address has asked for too many
     */
    async letter(account: string, address = "unknown"): Promise<boolean> {
      try {
        await letters.address.consume(networkOf(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw wait(refusal);
      }
      return letters.account.consume(keyOf(account)).then(
        () => true,
        () => false,
      );
    },
  };
}

function wait(refusal: RateLimiterRes) {
  const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  return problem("rate_limited", `Too many tries. Try again in ${Math.ceil(retryAfter / 60)} min.`, { retryAfter });
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
