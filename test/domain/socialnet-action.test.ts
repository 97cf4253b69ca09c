import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACCOUNT_HOLDS,
  ACTION_KINDS,
  ACTION_MOVES,
  ACTION_STATUSES,
  type ActionMove,
  type ActionStatus,
  isAccountHold,
  MOVES,
  moveFor,
  OPEN_ACTION,
  OUTCOMES,
  type Outcome,
  STATUS_AFTER,
  statusesBefore,
} from "../../src/domain/socialnet/action.ts";

/** The ledger's agreed table, written out by hand: `from by to`. */
const AGREED: readonly `${ActionStatus} ${ActionMove} ${ActionStatus}`[] = [
  // A member approved it, or the account is automatic.
  "planned approve approved",
  // Approval pins recipient and copy: changing either withdraws it, and so does an account that is no longer automatic.
  "approved void_approval planned",
  "claimed void_approval planned",
  // The lease of a claim expires or is used.
  "approved claim claimed",
  "claimed lapse approved",
  "claimed start started",
  // The agent's reports in time.
  "started complete completed",
  "started fail failed",
  "started turn_back approved",
  "started lose needs_review",
  // The agent's late reports, or what a person finds.
  "needs_review complete completed",
  "needs_review fail failed",
  "needs_review turn_back approved",
  "needs_review settle_sent completed",
  "needs_review settle_not_sent failed",
  "needs_review settle_retry approved",
  // A member puts on hold and releases.
  "planned hold held",
  "approved hold held",
  "held release planned",
  // A member requests changes, and the agent or a member revises the text.
  "planned request_change held",
  "held revise planned",
  "held resume approved",
  // Suppression, or a person, whoever planned the action.
  "planned cancel cancelled",
  "approved cancel cancelled",
  "claimed cancel cancelled",
  "held cancel cancelled",
  // A reply, or the end of the enrollment, for the engine's actions.
  "planned withdraw cancelled",
  "approved withdraw cancelled",
  "claimed withdraw cancelled",
  "held withdraw cancelled",
  // A reply, for a member's actions.
  "planned set_aside held",
  "approved set_aside held",
  "claimed set_aside held",
];

const ALL_MOVES = Object.keys(ACTION_MOVES) as ActionMove[];

test("every status and move follow the table, or lead nowhere", () => {
  const agreed = new Map(
    AGREED.map((line) => {
      const [from, move, to] = line.split(" ");
      return [`${from} ${move}`, to];
    }),
  );
  assert.equal(agreed.size, AGREED.length);
  let pairs = 0;
  for (const from of ACTION_STATUSES) {
    for (const move of ALL_MOVES) {
      assert.equal(MOVES[from][move], agreed.get(`${from} ${move}`), `${from} ${move}`);
      pairs += 1;
    }
    for (const move of Object.keys(MOVES[from])) assert.ok(Object.hasOwn(ACTION_MOVES, move), move);
  }
  assert.equal(pairs, 9 * 20);
  assert.deepEqual(Object.keys(MOVES).sort(), [...ACTION_STATUSES].sort());
});

test("a move leads to one status from anywhere, and starts only where the table has it", () => {
  for (const move of ALL_MOVES) {
    const lines = AGREED.map((line) => line.split(" ")).filter(([, by]) => by === move);
    assert.deepEqual(statusesBefore(move).sort(), lines.map(([from]) => from).sort(), move);
    assert.deepEqual([...new Set(lines.map(([, , to]) => to))], [STATUS_AFTER[move]], move);
  }
});

test("a finished action can't move, and every other one can still be finished", () => {
  const over = ["completed", "failed", "cancelled"];
  assert.deepEqual([...OPEN_ACTION, ...over].sort(), [...ACTION_STATUSES].sort());
  for (const status of over) assert.deepEqual(MOVES[status as ActionStatus], {}, status);
  for (const status of OPEN_ACTION) {
    const seen = new Set<ActionStatus>([status]);
    for (const at of seen) for (const to of Object.values(MOVES[at])) seen.add(to);
    assert.ok(
      over.some((end) => seen.has(end as ActionStatus)),
      status,
    );
  }
});

test("an action must be approved, claimed and started, in this order, before it is executed", () => {
  assert.deepEqual(statusesBefore("start"), ["claimed"]);
  assert.deepEqual(statusesBefore("claim"), ["approved"]);
  assert.deepEqual(statusesBefore("complete"), ["started", "needs_review"]);
  for (const from of ACTION_STATUSES.filter((status) => status !== "claimed")) {
    assert.ok(!Object.values(MOVES[from]).includes("started"), from);
  }
});

test("every outcome of a kind makes the agreed move, and outcomes that a kind can't have make none", () => {
  const agreed: Record<Outcome, [ofRequest: ActionMove | undefined, ofMessage: ActionMove | undefined]> = {
    connection_sent: ["complete", undefined],
    already_connected: ["complete", undefined],
    message_sent: [undefined, "complete"],
    profile_unavailable: ["fail", "fail"],
    not_sent: ["fail", "fail"],
    login_required: ["turn_back", "turn_back"],
    captcha: ["turn_back", "turn_back"],
    rate_limited: ["turn_back", "turn_back"],
    outcome_unknown: ["lose", "lose"],
  };
  assert.deepEqual(Object.keys(agreed).sort(), [...OUTCOMES].sort());
  assert.deepEqual(ACTION_KINDS, ["connection_request", "message"]);
  for (const outcome of OUTCOMES) {
    assert.deepEqual(
      ACTION_KINDS.map((kind) => moveFor(kind, outcome)),
      agreed[outcome],
      outcome,
    );
  }
});

test("only a login, a captcha or a network limit puts the account on hold", () => {
  const holding = OUTCOMES.filter(isAccountHold);
  assert.deepEqual(holding.sort(), ["captcha", "login_required", "rate_limited"]);
  assert.deepEqual(holding, [...ACCOUNT_HOLDS].sort());
});
