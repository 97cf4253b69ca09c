import { createHash } from "node:crypto";
import { RateLimiterRes } from "rate-limiter-flexible";
import { inMemory, secondsToWait } from "../core/policy.ts";
import { problem } from "../core/problem.ts";
import { networkOf } from "../lib/http-client/addresses.ts";
import { DAY_MS } from "../lib/time.ts";
import type { Counter, Counters } from "../store/engine.ts";

/** Failed sign-ins in a quarter of an hour: at an account from one address, at an account at all, from one address. */
const SIGN_INS = { pair: 10, account: 100, address: 50 } as const;
const SIGN_IN_SECONDS = 900;
/** Emails with a link that may be requested in an hour: for one account, and from one address. */
const LINK_EMAILS = { account: 3, address: 20 } as const;
const LINK_EMAIL_SECONDS = 3_600;
/** Networks that an account was signed in from: how long they are remembered, and how many at a time. */
const REMEMBERED_MS = 30 * DAY_MS;
const MAX_REMEMBERED = 10_000;

type Counted = readonly [Counter, string];

/**
 * Counts attempts to sign in; only those that failed stay counted. The limit of an account is ten times that of one
 * address on it, and does not apply to an address that the account was signed in from before: no attacker can lock
 * a member out.
 */
export function createSignInLimits(counters: Counters = inMemory) {
  const limiter = (name: string, points: number, duration = SIGN_IN_SECONDS) =>
    counters({ name: `sign_in_${name}`, points, duration });
  const counted = {
    pair: limiter("pair", SIGN_INS.pair),
    account: limiter("account", SIGN_INS.account),
    address: limiter("address", SIGN_INS.address),
  };
  const linkEmails = {
    account: limiter("links_account", LINK_EMAILS.account, LINK_EMAIL_SECONDS),
    address: limiter("links_address", LINK_EMAILS.address, LINK_EMAIL_SECONDS),
  };
  const remembered = new Map<string, number>();
  // A name can be of any length; its hash always takes the same space.
  const keyOf = (...parts: string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  // The address comes first: while it is blocked, it creates no counters for made-up names.
  const keysOf = (account: string | undefined, address = "unknown"): Counted[] => {
    const network = networkOf(address);
    const all: Counted[] = [[counted.address, network]];
    if (account === undefined) return all;
    const pair = keyOf(network, account);
    all.push([counted.pair, pair]);
    if ((remembered.get(pair) ?? 0) <= Date.now()) all.push([counted.account, keyOf(account)]);
    return all;
  };
  return {
    /**
     * Counts one attempt. Leave out the account where no password is checked.
     *
     * @throws Problem rate_limited, with the seconds to wait
     */
    async spend(account: string | undefined, address: string | undefined): Promise<void> {
      const counted: Counted[] = [];
      for (const [limit, key] of keysOf(account, address)) {
        try {
          await limit.consume(key);
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          // No password was checked: undo the other counts.
          for (const [taken, of] of counted) await taken.reward(of);
          throw wait(refusal);
        }
        counted.push([limit, key]);
      }
    },
    async forgive(account: string | undefined, address: string | undefined): Promise<void> {
      for (const [limit, key] of keysOf(account, address)) await limit.reward(key);
    },
    /** Records that the account was signed in from this address. */
    remember(account: string, address = "unknown"): void {
      const pair = keyOf(networkOf(address), account);
      remembered.delete(pair);
      remembered.set(pair, Date.now() + REMEMBERED_MS);
      const [oldest] = remembered.keys();
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    },
    /**
     * Whether the account may be sent another email with a link. The caller must not reveal that an account reached its
     * limit.
     *
     * @throws Problem rate_limited, where the address has requested too many
     */
    async allowLinkEmail(account: string, address = "unknown"): Promise<boolean> {
      try {
        await linkEmails.address.consume(networkOf(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw wait(refusal);
      }
      return linkEmails.account.consume(keyOf(account)).then(
        () => true,
        () => false,
      );
    },
  };
}

function wait(refusal: RateLimiterRes) {
  const retryAfter = secondsToWait(refusal);
  const minutes = Math.ceil(retryAfter / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  return problem("rate_limited", `Too many attempts. Try again in ${wait}.`, { retryAfter });
}

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** What one network may request of OAuth: registrations in an hour, and tokens or revocations in a minute. */
const OAUTH_REQUESTS = { register: { points: 20, duration: 3_600 }, ask: { points: 60, duration: 60 } } as const;

/** Counts OAuth requests, which need no key, by the network they come from. */
export function createConnectLimits(counters: Counters = inMemory) {
  const limit = (name: keyof typeof OAUTH_REQUESTS) => {
    const limiter = counters({ name: `oauth_${name}`, ...OAUTH_REQUESTS[name] });
    /** @throws Problem rate_limited, with the seconds to wait */
    return async (address = "unknown"): Promise<void> => {
      try {
        await limiter.consume(networkOf(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const retryAfter = secondsToWait(refusal);
        throw problem("rate_limited", `Too many requests from this address. Retry after ${retryAfter} seconds.`, {
          retryAfter,
        });
      }
    };
  };
  return { register: limit("register"), ask: limit("ask") };
}

export type ConnectLimits = ReturnType<typeof createConnectLimits>;
