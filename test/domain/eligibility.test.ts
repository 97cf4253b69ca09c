import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEQUENCE_STATUSES } from "../../src/domain/outreach/sequence.ts";
import { AUTOMATION_MODES, SOCIALNET_SESSIONS } from "../../src/domain/socialnet/account.ts";
import { ACTION_KINDS } from "../../src/domain/socialnet/action.ts";
import {
  type AccountHeld,
  accountClock,
  accountHoldAfter,
  BLOCKS,
  type Block,
  blockOf,
  type Claimable,
  type ClaimConditions,
  countClaimable,
  heldAt,
  nextChange,
} from "../../src/domain/socialnet/eligibility.ts";
import type { Window } from "../../src/domain/time/calendar.ts";
import { anyMoment, anyWindows, anyZone } from "../support/wall-clock.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const CALENDAR = {
  dayStart: NOW - 12 * HOUR,
  nextDay: NOW + 12 * HOUR,
  monthStart: NOW - 500 * HOUR,
  nextMonth: NOW + 252 * HOUR,
};

const FREE: ClaimConditions = {
  now: NOW,
  activated: true,
  gateOpen: true,
  paused: false,
  mode: "approve_each",
  session: "ready",
  heldUntil: undefined,
  opening: { open: true, opensAt: null, closesAt: NOW + HOUR },
  opensFrom: (at) => at + 9 * HOUR,
  calendar: CALENDAR,
  limits: { connection_request: 2, message: 2 },
  remaining: { connection_request: 1, message: 1 },
  planAllowance: 2,
  planRemaining: 1,
};

/** Each block, from the last one checked to the first, with its cause. */
const CAUSES: [Block, Partial<ClaimConditions>][] = [
  ["plan_quota", { planRemaining: 0 }],
  ["daily_limit", { remaining: { connection_request: 0, message: 0 } }],
  ["outside_window", { opening: { open: false, opensAt: NOW + 2 * HOUR, closesAt: null } }],
  ["automation_off", { mode: "off" }],
  ["account_held", { paused: true }],
  ["session_not_ready", { session: "captcha" }],
  ["execution_not_activated", { activated: false }],
];

const ENGINE = { kind: "message", origin: "engine", sequenceStatus: "active" } as const;
const MEMBER = { kind: "message", origin: "member", sequenceStatus: null } as const;
const GROUPS: Claimable[] = ACTION_KINDS.flatMap((kind) => [
  { ...ENGINE, kind },
  { ...MEMBER, kind },
]);
const reason = (group: Claimable, at: ClaimConditions) => blockOf(group, at)?.reason;

test("nothing blocks an action if everything is in order", () => {
  for (const group of GROUPS) assert.equal(blockOf(group, FREE), null);
  for (const mode of ["approve_each", "automatic"] as const) assert.equal(blockOf(ENGINE, { ...FREE, mode }), null);
});

test("each block is reported by itself, before all that are checked later", () => {
  assert.deepEqual(
    CAUSES.map(([block]) => block).reverse(),
    BLOCKS.filter((block) => block !== "held"),
  );
  let all = FREE;
  for (const [block, cause] of CAUSES) {
    assert.equal(reason(ENGINE, { ...FREE, ...cause }), block);
    all = { ...all, ...cause };
    assert.equal(reason(ENGINE, all), block, `${block}, and all that is looked at later`);
  }
});

test("a step is on hold while its sequence is not active, before all later checks", () => {
  const all = Object.assign({}, FREE, ...CAUSES.map(([, cause]) => cause), { activated: true });
  for (const sequenceStatus of [...SEQUENCE_STATUSES, null]) {
    const step = { ...ENGINE, sequenceStatus };
    const expected = sequenceStatus === "active" ? null : { reason: "held", nextAt: null };
    assert.deepEqual(blockOf(step, FREE), expected, `${sequenceStatus}`);
    assert.equal(reason(step, all), expected === null ? "session_not_ready" : "held");
    assert.equal(reason(step, { ...all, activated: false }), "execution_not_activated");
  }
});

test("a closed outbound gate blocks everything, and no time opens it", () => {
  const shut = { ...FREE, gateOpen: false, heldUntil: NOW + HOUR };
  for (const group of GROUPS) assert.deepEqual(blockOf(group, shut), { reason: "account_held", nextAt: null });
});

test("sending hours and mode do not apply to a member's actions, and all other blocks do", () => {
  for (const [block, cause] of CAUSES) {
    const free = block === "outside_window" || block === "automation_off";
    for (const kind of ACTION_KINDS) {
      assert.equal(reason({ ...MEMBER, kind }, { ...FREE, ...cause }), free ? undefined : block, `${block} ${kind}`);
    }
  }
});

test("only a session reported as ready is ready", () => {
  for (const session of [null, ...SOCIALNET_SESSIONS]) {
    const expected = session === "ready" ? undefined : "session_not_ready";
    for (const group of GROUPS) assert.equal(reason(group, { ...FREE, session }), expected, `${session}`);
  }
});

test("a kind's daily limit blocks only that kind, the plan's allowance both, and no limit blocks nothing", () => {
  const at = { ...FREE, remaining: { connection_request: 0, message: 1 } };
  assert.equal(reason({ ...MEMBER, kind: "connection_request" }, at), "daily_limit");
  assert.equal(reason(MEMBER, at), undefined);
  for (const group of GROUPS) {
    assert.equal(reason(group, { ...FREE, planRemaining: 0 }), "plan_quota");
    assert.equal(reason(group, { ...FREE, planRemaining: null }), undefined);
  }
});

test("a block says when time alone ends it: for the engine within sending hours, for a member at the day's end", () => {
  const nextAt = (group: Claimable, cause: Partial<ClaimConditions>) => blockOf(group, { ...FREE, ...cause })?.nextAt;
  const used = { remaining: { connection_request: 0, message: 0 } };
  assert.equal(nextAt(ENGINE, used), CALENDAR.nextDay + 9 * HOUR);
  assert.equal(nextAt(MEMBER, used), CALENDAR.nextDay);
  assert.equal(nextAt(ENGINE, { opening: { open: false, opensAt: NOW + 2, closesAt: null } }), NOW + 2);
  assert.equal(nextAt(ENGINE, { planRemaining: 0 }), CALENDAR.nextMonth + 9 * HOUR);
  assert.equal(nextAt(MEMBER, { planRemaining: 0 }), CALENDAR.nextMonth);
  assert.equal(nextAt(ENGINE, { heldUntil: NOW + 3 }), NOW + 3 + 9 * HOUR);
  assert.equal(nextAt(MEMBER, { heldUntil: NOW + 3 }), NOW + 3);
  assert.equal(nextAt(ENGINE, { ...used, opensFrom: () => null }), null, "windows that never open");
  for (const cause of [
    { heldUntil: null },
    { paused: true, heldUntil: NOW + 3 },
    { session: null },
    { activated: false },
  ]) {
    assert.equal(nextAt(ENGINE, cause), null, JSON.stringify(cause));
  }
  assert.equal(nextAt(ENGINE, { mode: "off" }), null);
});

test("a limit of zero has no end time", () => {
  const none = { connection_request: 0, message: 0 };
  for (const group of GROUPS) {
    assert.deepEqual(blockOf(group, { ...FREE, limits: none, remaining: none }), {
      reason: "daily_limit",
      nextAt: null,
    });
    assert.deepEqual(blockOf(group, { ...FREE, planAllowance: 0, planRemaining: 0 }), {
      reason: "plan_quota",
      nextAt: null,
    });
  }
});

/** An idle account: only time changes it. */
const anyAccount = fc.record({
  activated: fc.boolean(),
  paused: fc.boolean(),
  mode: fc.constantFrom(...AUTOMATION_MODES),
  session: fc.constantFrom(null, "ready" as const, "ready" as const, "captcha" as const),
  zone: anyZone,
  windows: fc.oneof(anyWindows, fc.constant<Window[]>([])),
  left: fc.record({ connection_request: fc.nat(3), message: fc.nat(3) }),
  plan: fc.option(fc.nat(3)),
  hold: fc.oneof(fc.constant(null), fc.constant("captcha" as const), fc.integer({ min: -HOUR, max: 60 * HOUR })),
});
type Account = typeof anyAccount extends fc.Arbitrary<infer A> ? A : never;

const ALL = { connection_request: 3, message: 3 };

/** Its conditions at a moment; all its starts were made at another, and count for that day and month. */
function conditionsOf(account: Account, since: number, now: number): ClaimConditions {
  const { activated, paused, mode, session, zone, windows, left, plan, hold } = account;
  const clock = accountClock({ timeZone: zone, windows }, now);
  const held: AccountHeld | null =
    hold === null
      ? null
      : typeof hold === "string"
        ? accountHoldAfter(hold, 0, null)
        : { reason: "rate_limited", until: since + hold };
  const fresh = clock.calendar.dayStart > since;
  return {
    now,
    activated,
    gateOpen: true,
    paused,
    mode,
    session,
    ...clock,
    heldUntil: heldAt(held, now)?.until,
    limits: ALL,
    remaining: fresh ? ALL : left,
    planAllowance: plan === null ? null : 3,
    planRemaining: plan === null || clock.calendar.monthStart <= since ? plan : 3,
  };
}

const FREED: Partial<Account> = { activated: true, paused: false, session: "ready", mode: "automatic" };
const anyStanding = fc
  .tuple(
    fc.oneof(
      anyAccount,
      anyAccount.map((account) => ({ ...account, ...FREED })),
    ),
    anyMoment,
  )
  .map(([account, moment]) => ({ account, moment }));

test("the claimable count is the number of actions that can be claimed one after another, in any order", () => {
  const waiting = fc.array(fc.record({ group: fc.constantFrom(...GROUPS), count: fc.nat(5) }), { maxLength: 4 });
  fc.assert(
    fc.property(anyStanding, waiting, fc.infiniteStream(fc.nat()), ({ account, moment }, groups, draws) => {
      const at = conditionsOf(account, moment, moment);
      const queue = groups.flatMap(({ group, count }) => Array.from({ length: count }, () => group));
      let claimed = 0;
      const left = { ...at.remaining };
      let planRemaining = at.planRemaining;
      while (queue.length > 0) {
        const [next] = queue.splice((draws.next().value as number) % queue.length, 1);
        if (next === undefined || blockOf(next, { ...at, remaining: left, planRemaining }) !== null) continue;
        left[next.kind] -= 1;
        if (planRemaining !== null) planRemaining -= 1;
        claimed += 1;
      }
      assert.equal(
        countClaimable(
          groups.map(({ group, count }) => ({ ...group, count })),
          at,
        ),
        claimed,
      );
    }),
    { numRuns: 500 },
  );
});

test("the next change is within the day, and until then every answer stays the same", () => {
  fc.assert(
    fc.property(anyStanding, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }), (one, shares) => {
      const { account, moment } = one;
      const now = conditionsOf(account, moment, moment);
      const next = nextChange(now);
      assert.ok(next > moment && next <= now.calendar.nextDay);
      const moments = [next - 1, ...shares.map((share) => moment + Math.floor(share * (next - 1 - moment)))];
      for (const later of moments) {
        const then = conditionsOf(account, moment, later);
        for (const group of GROUPS) {
          assert.deepEqual(
            blockOf(group, then),
            blockOf(group, now),
            `${JSON.stringify(group)} after ${later - moment} ms`,
          );
        }
      }
    }),
    { numRuns: 400 },
  );
});

test("the end that a block reports is exact: the reason holds right before it, and is gone then", () => {
  fc.assert(
    fc.property(anyStanding, fc.constantFrom(...GROUPS), ({ account, moment }, group) => {
      const block = blockOf(group, conditionsOf(account, moment, moment));
      if (block === null || block.nextAt === null) return;
      assert.ok(block.nextAt > moment);
      assert.notEqual(blockOf(group, conditionsOf(account, moment, block.nextAt - 1)), null, "not earlier");
      assert.notEqual(blockOf(group, conditionsOf(account, moment, block.nextAt))?.reason, block.reason, "then");
    }),
    { numRuns: 400 },
  );
});
