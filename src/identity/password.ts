import { randomBytes } from "node:crypto";
import { hash, type Options, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { problem } from "../core/problem.ts";
import { PASSWORD_LENGTH } from "../domain/access/session-limits.ts";

/** Argon2id as OWASP asks at the least: 19 MiB, two passes, one lane. */
const ARGON2ID = 2;
const COST: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Two at a time, so that a flood of sign-ins takes neither the memory nor the threads of everybody else. */
const AT_A_TIME = 2;
const MOST_WAITING = 100;
const queue = pLimit(AT_A_TIME);

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (queue.pendingCount >= MOST_WAITING) {
    throw problem("rate_limited", "Too many people sign in at this moment; try again shortly.", { retryAfter: 5 });
  }
  return queue(work);
}

/** The same letters typed on two keyboards are one password. */
const normal = (password: string) => password.normalize("NFKC");

/** @throws Problem validation_failed, rate_limited */
export async function hashPassword(password: string): Promise<string> {
  const length = [...normal(password)].length;
  if (length < PASSWORD_LENGTH.min) {
    throw problem("validation_failed", `password: is shorter than ${PASSWORD_LENGTH.min} characters.`);
  }
  if (length > PASSWORD_LENGTH.max) {
    throw problem("validation_failed", `password: is longer than ${PASSWORD_LENGTH.max} characters.`);
  }
  return inTurn(() => hash(normal(password), COST));
}

/** A hash that no password has: an unknown address costs what a known one does. */
let nobody: Promise<string> | undefined;

/** @throws Problem rate_limited */
export async function passwordFits(password: string, kept: string | null | undefined): Promise<boolean> {
  nobody ??= hash(randomBytes(32), COST);
  const against = kept ?? (await nobody);
  if (password.length > PASSWORD_LENGTH.max * 4) return false;
  const fits = await inTurn(() => verify(against, normal(password)));
  return fits && kept != null;
}
