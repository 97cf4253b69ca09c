import { randomBytes, timingSafeEqual } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Callbacks } from "../core/context.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { DeliveryError } from "../domain/events/delivery.ts";
import { type AddressPolicy, checkUrl } from "../lib/http-client/addresses.ts";
import type { GuardedClient } from "../lib/http-client/client.ts";
import { CallError } from "../lib/http-client/errors.ts";
import type { Clock } from "../lib/time.ts";
import { verificationBody } from "./protocol.ts";
import { signedHeaders, signerOf } from "./sign.ts";

export interface ChallengeLimits {
  /** @throws Problem challenge_limit */
  spend(principal: string, host: string): Promise<void>;
}

const CHALLENGE_BYTES = 24;
const MAX_ANSWER_BYTES = 64 * 1024;

interface Parts {
  client: Pick<GuardedClient, "post">;
  reach: AddressPolicy;
  limits: ChallengeLimits;
  clock: Clock;
}

export function createCallbacks({ client, reach, limits, clock }: Parts): Callbacks {
  return {
    check(text, field) {
      const { url, refusal } = checkUrl(text, reach);
      if (url === undefined) throw problem("validation_failed", `${field}: ${refusal}.`);
      return url;
    },
    async verify({ principal, subscriptionId, url, secret }) {
      // Counted by host, whatever the port, so that this server cannot be used to scan another machine's ports.
      await limits.spend(principal, url.hostname);
      const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
      const id = `msg_verification_${randomBytes(16).toString("hex")}`;
      const body = verificationBody(challenge);
      const headers = signedHeaders({ subscriptionId, signers: [signerOf(secret)], id, body, at: clock.now() });
      const answer = await client.post(url, { headers, body, read: MAX_ANSWER_BYTES }).catch((error: unknown) => {
        throw error instanceof CallError ? failed(error.reason) : error;
      });
      if (answer.status < 200 || answer.status > 299) throw failed(answer.status >= 500 ? "http_5xx" : "http_4xx");
      if (!repeats(answer.body, challenge)) throw failed("challenge_failed");
    },
  };
}

function failed(reason: DeliveryError): Problem {
  return problem(
    "callback_failed",
    `The webhook URL did not answer the challenge (${reason}). Check that the endpoint is online and answers it.`,
    {
      extra: { reason },
    },
  );
}

function repeats(answer: Buffer, challenge: string): boolean {
  try {
    const { challenge: repeated } = JSON.parse(answer.toString("utf8")) as { challenge?: unknown };
    if (typeof repeated !== "string") return false;
    const [given, expected] = [Buffer.from(repeated), Buffer.from(challenge)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}

const WINDOW_SECONDS = 60;
/** Challenges a minute: of one principal to one host, and of all principals to it. */
const CHALLENGES = { own: 10, all: 60 } as const;

/**
 * Limits requests to hosts that callers name, so that this server cannot be used to flood another one.
 *
 * @param what the requests' name in the refusal
 */
export function createChallengeLimits(what = "challenges"): ChallengeLimits {
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
        // Nothing was sent: undo the caller's own count.
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
    throw problem("challenge_limit", `More than ${max} ${what} a minute to this host. Try again in a minute.`, {
      extra: { limit: "challenges_per_minute", max },
    });
  }
}
