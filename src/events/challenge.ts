import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/context.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { DeliveryError } from "../domain/events/delivery.ts";
import { type AddressPolicy, checkUrl } from "../lib/http-client/addresses.ts";
import type { GuardedClient } from "../lib/http-client/client.ts";
import { CallError } from "../lib/http-client/errors.ts";
import { verificationBody } from "./protocol.ts";
import { signedHeaders } from "./sign.ts";

/** Counts challenges that are sent, so that nobody makes this server knock at a stranger's door. */
interface ChallengeLimits {
  /** @throws Problem challenge_limit */
  spend(principal: string, host: string): Promise<void>;
}

export interface Challenge {
  principal: string;
  subscriptionId: string;
  url: URL;
  secret: string;
}

/** How a callback address is judged and verified. */
export interface Callbacks {
  /** @throws Problem validation_failed, naming the field */
  check(url: string, field: string): URL;
  /**
   * Asks the address to repeat a random text, signed as deliveries are.
   *
   * @throws Problem challenge_limit, callback_failed
   */
  verify(challenge: Challenge): Promise<void>;
}

const CHALLENGE_BYTES = 24;
const MOST_ANSWER_BYTES = 64 * 1024;

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
      // Whatever the port: nobody is to sound out another's machine by asking for one after the other.
      await limits.spend(principal, url.hostname);
      const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
      const id = `msg_verification_${randomBytes(16).toString("hex")}`;
      const body = verificationBody(challenge);
      const headers = signedHeaders({ subscriptionId, secrets: [secret], id, body, at: clock.now() });
      const answer = await client.post(url, { headers, body, read: MOST_ANSWER_BYTES }).catch((error: unknown) => {
        throw error instanceof CallError ? failed(error.reason) : error;
      });
      if (answer.status < 200 || answer.status > 299) throw failed(answer.status >= 500 ? "http_5xx" : "http_4xx");
      if (!repeats(answer.body, challenge)) throw failed("challenge_failed");
    },
  };
}

function failed(reason: DeliveryError): Problem {
  return problem("callback_failed", `The callback address did not answer the challenge: ${reason}.`, {
    extra: { reason },
  });
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
