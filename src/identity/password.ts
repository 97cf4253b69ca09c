import { randomBytes } from "node:crypto";
import { hash, type Options, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { problem } from "../core/problem.ts";
import { PASSWORD_LENGTH } from "../domain/access/session-limits.ts";

/** Argon2id with the minimum that OWASP recommends: 19 MiB, two passes, one lane. */
const ARGON2ID = 2;
const COST: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes at a time and waiting, so that a flood of sign-ins does not take all memory and threads. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 100;

/** @throws Problem validation_failed, rate_limited */
export async function hashPassword(password: string): Promise<string> {
  const length = [...normalize(password)].length;
  if (length < PASSWORD_LENGTH.min) {
    throw problem("validation_failed", `password: must be at least ${PASSWORD_LENGTH.min} characters long.`);
  }
  if (length > PASSWORD_LENGTH.max) {
    throw problem("validation_failed", `password: must be ${PASSWORD_LENGTH.max} characters or fewer.`);
  }
  return enqueue(() => hash(normalize(password), COST));
}

/** A hash that matches no password: verifying against it makes an unknown address cost as much as a known one. */
let dummyHash: Promise<string> | undefined;

/** @throws Problem rate_limited */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  dummyHash ??= hash(randomBytes(32), COST);
  const against = storedHash ?? (await dummyHash);
  if (password.length > PASSWORD_LENGTH.max * 4) return false;
  const matches = await enqueue(() => verify(against, normalize(password)));
  return matches && storedHash != null;
}

/** The same characters typed on two keyboards are one password. */
const normalize = (password: string) => password.normalize("NFKC");

const queue = pLimit(MAX_CONCURRENT);

function enqueue<T>(work: () => Promise<T>): Promise<T> {
  if (queue.pendingCount >= MAX_WAITING) {
    throw problem("rate_limited", "Too many people are signing in right now. Try again in a few seconds.", {
      retryAfter: 5,
    });
  }
  return queue(work);
}
