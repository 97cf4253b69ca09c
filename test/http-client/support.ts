import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import {
  createGuardedClient,
  type GuardedClient,
  type GuardedClientOptions,
} from "../../src/lib/http-client/client.ts";
import { CallError, type CallFailure } from "../../src/lib/http-client/errors.ts";

export const BODY = { body: "{}", read: 0 };
export const READ = { body: "{}", read: 65_536 };

export function openClient(t: TestContext, options: Partial<GuardedClientOptions> = {}): GuardedClient {
  const client = createGuardedClient({ allowPrivate: true, ...options });
  t.after(() => client.close());
  return client;
}

/** The call's failure, which must be of this kind. */
export async function failureOf(
  call: Promise<unknown>,
  expected: { reason: CallFailure; beforeSent: boolean; refusedAddress?: boolean },
): Promise<CallError> {
  const error = await call.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CallError, String(error));
  const { reason, beforeSent, refusedAddress } = error;
  assert.deepEqual({ reason, beforeSent, refusedAddress }, { refusedAddress: false, ...expected });
  return error;
}
