import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attempted, DELIVERY_ERRORS, judge, MAX_ATTEMPTS, outcomeOf } from "../../src/domain/events/delivery.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MIDDLE = 0.5;

test("a 2xx finishes the delivery, at any attempt", () => {
  for (const status of [200, 201, 202, 204, 250, 299]) {
    for (const attempt of [1, 6, 7]) assert.deepEqual(judge({ status }, attempt, MIDDLE), { status: "delivered" });
  }
});

test("410 and 413 fail this event at once, whatever other headers say", () => {
  for (const status of [410, 413]) {
    for (const attempted of [{ status }, { status, retryAfterMs: SECOND }]) {
      for (const attempt of [1, 6]) {
        assert.deepEqual(judge(attempted, attempt, MIDDLE), { status: "given_up", error: "http_4xx" });
      }
    }
  }
});

/** Every other result of a POST, and its name. */
const FAILURES: readonly [Attempted, string][] = [
  ...[300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 408, 409, 411, 412, 414, 422, 429, 451, 499].map(
    (status): [Attempted, string] => [{ status }, "http_4xx"],
  ),
  ...[500, 501, 502, 503, 504, 599].map((status): [Attempted, string] => [{ status }, "http_5xx"]),
  [{ failed: "connection_refused" }, "connection_refused"],
  [{ failed: "timeout" }, "timeout"],
  [{ failed: "tls_error" }, "tls_error"],
];

test("any other status, a redirect or no response is retried on the schedule, six attempts in all", () => {
  const waits = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR];
  assert.equal(MAX_ATTEMPTS, 6);
  for (const [attempted, error] of FAILURES) {
    for (const [index, waitMs] of waits.entries()) {
      assert.deepEqual(judge(attempted, index + 1, MIDDLE), { status: "pending", error, waitMs });
    }
    for (const attempt of [6, 7]) assert.deepEqual(judge(attempted, attempt, MIDDLE), { status: "dead", error });
    assert.ok((DELIVERY_ERRORS as readonly string[]).includes(error));
  }
});

test("waits vary by up to 20% either way", () => {
  const wait = (random: number) => judge({ status: 500 }, 2, random);
  assert.deepEqual(wait(0), { status: "pending", error: "http_5xx", waitMs: 48 * SECOND });
  assert.deepEqual(wait(1), { status: "pending", error: "http_5xx", waitMs: 72 * SECOND });
});

test("a valid Retry-After on 429 and 503 lengthens the wait, up to two hours, and never shortens it", () => {
  const waitMs = (status: number, retryAfterMs: number | undefined, attempt = 1) => {
    const verdict = judge({ status, retryAfterMs }, attempt, MIDDLE);
    assert.equal(verdict.status, "pending");
    return "waitMs" in verdict ? verdict.waitMs : undefined;
  };
  for (const status of [429, 503]) {
    assert.equal(waitMs(status, 90 * SECOND), 90 * SECOND);
    assert.equal(waitMs(status, SECOND), 5 * SECOND);
    assert.equal(waitMs(status, undefined), 5 * SECOND);
    assert.equal(waitMs(status, 7 * 24 * HOUR), 2 * HOUR);
    assert.equal(waitMs(status, 10 * MINUTE, 4), 30 * MINUTE);
    assert.equal(judge({ status, retryAfterMs: SECOND }, 6, MIDDLE).status, "dead", "it buys no further attempt");
  }
  for (const status of [302, 400, 404, 500, 502]) assert.equal(waitMs(status, HOUR), 5 * SECOND, `${status}`);
});

test("an attempt is recorded by the class of its response, or by why there was none", () => {
  const classes = { 200: "2xx", 299: "2xx", 301: "3xx", 404: "4xx", 499: "4xx", 500: "5xx", 599: "5xx" };
  for (const [status, outcome] of Object.entries(classes)) assert.equal(outcomeOf({ status: Number(status) }), outcome);
  for (const failed of ["connection_refused", "timeout", "tls_error"] as const) {
    assert.equal(outcomeOf({ failed }), failed);
  }
});
