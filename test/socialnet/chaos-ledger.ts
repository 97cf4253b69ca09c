import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { ACCOUNT_HOLDS, type ActionMove, type ActionStatus, MOVES } from "../../src/domain/socialnet/action.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import type { Account, World } from "./chaos-world.ts";

interface Fact {
  at: number;
  move: ActionMove | "plan" | "edit" | "late_stop" | "late_void";
  from: ActionStatus | undefined;
  to: ActionStatus;
  copy: string | undefined;
  note: string | null;
}

interface Start {
  lease: string;
  actionId: string;
  accountId: string;
  kind: "connection_request" | "message";
  startedAt: number;
  outcome: string | null;
  statusAfter: string | null;
}

/** The rows in the database, read without the server. */
export class Ledger {
  readonly actions: { id: string; status: ActionStatus; copy: string; note: string | null; leaseExpiresAt: number }[];
  readonly starts: Start[];
  readonly trails = new Map<string, Fact[]>();
  readonly sightings: Set<unknown>;
  /** Each time that the network limited an account, and until when. */
  readonly limits: { accountId: string; at: number; until: number }[];

  constructor(folder: string) {
    const db = new Database(databaseFile(folder), { readonly: true });
    const all = (sql: string): any[] => db.prepare(sql).all();
    this.actions = all("SELECT id, status, copy, note, lease_expires_at AS leaseExpiresAt FROM socialnet_actions");
    this.starts = all(
      `SELECT lower(hex(lease_hash)) AS lease, action_id AS actionId, account_id AS accountId, kind,
         started_at AS startedAt, outcome, status_after AS statusAfter FROM socialnet_starts ORDER BY rowid`,
    );
    this.sightings = new Set(all("SELECT external_key AS seen FROM socialnet_sightings").map(({ seen }) => seen));
    const audits = all("SELECT record_id AS id, at, before, after FROM audit_log ORDER BY id").map((row) => ({
      ...row,
      before: JSON.parse(row.before ?? "{}"),
      after: JSON.parse(row.after ?? "{}"),
    }));
    db.close();
    for (const { id, at, before, after } of audits) {
      if (after.move === undefined) continue;
      const fact = { at, move: after.move, from: before.status, to: after.status, copy: after.copy, note: after.note };
      this.trails.set(id, [...(this.trails.get(id) ?? []), fact]);
    }
    this.limits = audits
      .filter(({ after }) => after.held_until)
      .map(({ id, at, after }) => ({ accountId: id, at, until: Date.parse(after.held_until) }));
  }

  trail(id: string): Fact[] {
    return this.trails.get(id) ?? [];
  }

  startOf(leaseToken: string): Start | undefined {
    const lease = createHash("sha256").update(leaseToken).digest("hex");
    return this.starts.find((start) => start.lease === lease);
  }

  /** The starts of a kind by an account, per day in its time zone. */
  startsByDay({ id, timeZone }: Account, kind: Start["kind"]): Map<string, number> {
    const days = this.starts
      .filter((start) => start.accountId === id && start.kind === kind)
      .map(({ startedAt }) => dayOf(startedAt, timeZone));
    return new Map(days.map((day) => [day, days.filter((other) => other === day).length]));
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function dayOf(moment: number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone });
  formats.set(timeZone, format);
  return format.format(moment);
}

/** The final state in an action's history, which is compared with its row. */
function wordsAt(trail: readonly { copy: string | undefined }[]): string | undefined {
  return trail.findLast(({ copy }) => copy !== undefined)?.copy;
}

/** Each action's history begins with its plan, follows the table, and ends at its current status. */
export function assertTrails(ledger: Ledger): void {
  for (const { id, status, copy } of ledger.actions) {
    const trail = ledger.trail(id);
    assert.equal(trail[0]?.move, "plan");
    let at: ActionStatus = "planned";
    for (const { move, from, to } of trail.slice(1)) {
      assert.equal(from, at, `${id}: ${move} from ${from}, which stood at ${at}`);
      const stays = ["edit", "late_stop", "late_void", "late_report"].includes(move);
      assert.equal(to, stays ? from : MOVES[at][move as ActionMove], `${id}: ${move} from ${from}`);
      at = to;
    }
    assert.deepEqual([at, wordsAt(trail)], [status, copy], id);
  }
}

/** Between two starts of an action a person confirms that nothing was sent, or an agent that it could not begin. */
export function assertStartedOnce(ledger: Ledger): void {
  for (const { id } of ledger.actions) {
    const trail = ledger.trail(id);
    const starts = ledger.starts.filter(({ actionId }) => actionId === id);
    const moves = trail.map(({ move }) => move);
    assert.equal(starts.length, moves.filter((move) => move === "start").length, `${id}: a row for each start`);
    let open = false;
    for (const move of moves) {
      if (move === "start") assert.ok(!open, `${id} was started again: ${moves}`);
      if (move === "start") open = true;
      if (move === "settle_retry" || move === "turn_back") open = false;
    }
    // A report after a person had settled the action is kept without a status: it changed nothing.
    const counted = starts.filter(({ statusAfter }) => statusAfter !== null);
    const turned = counted.filter(({ outcome }) => ACCOUNT_HOLDS.some((hold) => hold === outcome)).length;
    assert.equal(moves.filter((move) => move === "turn_back").length, turned, `${id}: each way back was reported`);
  }
}

/** Everything given to an agent was approved, in its latest approved version. */
export function assertApprovedCopies(ledger: Ledger, { acknowledged }: World): void {
  for (const { actionId, leaseToken, copy } of acknowledged.starts) {
    assert.ok(acknowledged.approved.get(actionId)?.has(copy), `${actionId}: nobody approved ${copy}`);
    const { startedAt } = ledger.startOf(leaseToken) as Start;
    const trail = ledger.trail(actionId);
    const start = trail.findIndex(({ move, at }) => move === "start" && at === startedAt);
    const before = trail.slice(0, start);
    const approval = before.findLast(({ move }) => move === "approve");
    assert.deepEqual([copy, wordsAt(before)], [approval?.copy, copy], `${actionId}: what was approved last`);
    assert.equal(
      before.findLast(({ move }) => VOIDING.includes(move) || move === "approve"),
      approval,
    );
  }
}
const VOIDING: readonly string[] = ["void_approval", "edit", "set_aside", "release"];

export function assertAcknowledged(ledger: Ledger, { acknowledged, network }: World): void {
  const { claims, starts, results, sightings } = acknowledged;
  for (const { actionId, leaseToken } of starts) assert.equal(ledger.startOf(leaseToken)?.actionId, actionId);
  for (const { leaseToken, outcome, status } of results) {
    const start = ledger.startOf(leaseToken);
    assert.deepEqual([start?.outcome, start?.statusAfter], [outcome, status]);
  }
  const claimed = new Map<string, number>();
  for (const { actionId } of claims) claimed.set(actionId, (claimed.get(actionId) ?? 0) + 1);
  for (const [id, count] of claimed) {
    assert.ok(ledger.trail(id).filter(({ move }) => move === "claim").length >= count, `${id}: every claim`);
  }
  for (const seen of sightings) assert.ok(ledger.sightings.has(seen), `${seen} was reported`);
  for (const [id, copy] of network.sent) {
    const { status, copy: stands } = ledger.actions.find((action) => action.id === id) ?? {};
    assert.deepEqual([status, stands], ["completed", copy], `${id} was sent`);
  }
  for (const { id, status } of ledger.actions) {
    const completed = status === "completed" && ledger.trail(id).at(-1)?.move === "settle_sent";
    assert.ok(!completed || network.shows(id), `${id} was settled as sent`);
  }
}

/** No day has more starts than the account's limit, and a network limit is respected. */
export function assertLimits(ledger: Ledger, accounts: readonly Account[], most: Record<Start["kind"], number>): void {
  for (const account of accounts) {
    for (const [kind, limit] of Object.entries(most) as [Start["kind"], number][]) {
      for (const [day, made] of ledger.startsByDay(account, kind)) {
        assert.ok(made <= limit, `${made} of ${kind} on ${day} in ${account.timeZone}`);
      }
    }
  }
  for (const { accountId, at, until } of ledger.limits) {
    const during = ledger.starts.filter(
      (start) => start.accountId === accountId && start.startedAt > at && start.startedAt < until,
    );
    assert.deepEqual(during, [], `started before ${new Date(until).toISOString()}`);
  }
}

/** No action is stuck: each is finished or needs a person, and the history says why. */
export function assertExplained(ledger: Ledger): void {
  for (const { id, status, note, leaseExpiresAt } of ledger.actions) {
    const last = ledger.trail(id).findLast(({ move }) => move !== "late_stop" && move !== "late_void") as Fact;
    assert.equal(leaseExpiresAt, null, `${id}: no lease outlives its work`);
    if (status === "held") {
      assert.ok(["hold", "set_aside", "edit"].includes(last.move), `${id} is held: ${last.move}`);
      assert.ok(note, `${id} is held and says why`);
    } else if (status === "planned") {
      assert.ok(["plan", "edit", "void_approval", "release"].includes(last.move), `${id} is planned: ${last.move}`);
    } else {
      assert.ok(["completed", "failed", "cancelled"].includes(status), `${id} is ${status}`);
    }
  }
}
