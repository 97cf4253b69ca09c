import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTION_MOVES,
  type ActionKind,
  type ActionMove,
  type ActionStatus,
  MOVES,
  OPEN_ACTION,
  STATUS_AFTER,
} from "../../../src/domain/socialnet/action.ts";
import type { ActionFilter, ActionPatch, ActionRow, MoveGuard } from "../../../src/store/socialnet.ts";
import { enrollment, parts } from "./enrollments.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { actionsOf, EVERY_STATUS, ledger, newId, OTHER_TOKEN, onActions, TOKEN } from "./socialnet-fixtures.ts";

const ALL = { limit: 1_000, offset: 0 };
const ALL_MOVES = Object.keys(ACTION_MOVES) as ActionMove[];
const OVER = ["completed", "failed", "cancelled"];

export function socialnetActionsConform(open: OpenStore): void {
  test("an action reads back as written, whatever it contains", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    const bare = await add();
    const full = await add({
      kind: "connection_request",
      origin: "engine",
      status: "held",
      copy: "",
      step: 0,
      stepCount: 3,
      campaign: "Autumn",
      approvedBy: "m",
      approvedAt: NOON + 1,
      heldFrom: "approved",
      changed: "sender",
      changeRequestedAt: NOON,
      stopWanted: "withdraw",
      leaseHash: TOKEN,
      leaseExpiresAt: NOON + 2,
      outcome: "not_sent",
      note: "n",
      endedAt: NOON + 3,
      plannedById: "p",
      editedById: "e",
    });
    for (const row of [bare, full]) assert.deepEqual(await actionsOf(store).find(row.id), row);
    assert.equal(await actionsOf(store).find(idOf(9)), undefined);
  });

  test("an action without an account or a contact is refused", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    await assert.rejects(add({ accountId: idOf(9) }));
    await assert.rejects(add({ contactId: idOf(9) }));
    await assert.rejects(add({ enrollmentId: idOf(9) }));
    assert.equal((await actionsOf(store).list({}, ALL)).total, 0);
  });

  test("every move changes status and times where the table allows it, and nothing elsewhere", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    let legal = 0;
    for (const status of EVERY_STATUS) {
      for (const move of ALL_MOVES) {
        const row = await add({ status, endedAt: OVER.includes(status) ? NOON : null });
        const moved = await onActions(store, (actions) => actions.move(row.id, move, NOON + 5, { note: "moved" }));
        const to = MOVES[status][move];
        const after = await actionsOf(store).find(row.id);
        if (to === undefined) {
          assert.equal(moved, undefined, `${status} ${move}`);
          assert.deepEqual(after, row, `${status} ${move}`);
          continue;
        }
        legal += 1;
        const endedAt = OVER.includes(to) ? NOON + 5 : null;
        const expected = { ...row, status: to, updatedAt: NOON + 5, endedAt, note: "moved" };
        assert.deepEqual(moved, expected, `${status} ${move}`);
        assert.deepEqual(after, expected, `${status} ${move}`);
      }
    }
    assert.equal(legal, 33);
  });

  test("a move writes each given field, including nulls, and keeps the rest", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    const given: Required<ActionPatch> = {
      copy: "other",
      recipientUrl: "https://socialnet.example/in/other",
      approvedBy: "m",
      approvedAt: NOON,
      heldFrom: "approved",
      changed: "sender",
      changeRequestedAt: NOON,
      stopWanted: "cancel",
      leaseHash: TOKEN,
      leaseExpiresAt: NOON + 9,
      outcome: "captcha",
      note: "n",
      editedById: "m",
    };
    const nullable = Object.entries(given).filter(([name]) => name !== "copy" && name !== "recipientUrl");
    const nulls = Object.fromEntries(nullable.map(([name]) => [name, null]));
    const single = nullable.map(([name, value]) => ({ [name]: value }));
    for (const patch of [{}, given, ...single, ...single.map((one) => ({ ...nulls, ...one }))] as ActionPatch[]) {
      for (const before of [{}, given]) {
        const row = await add(before);
        const after = await onActions(store, (actions) => actions.move(row.id, "approve", NOON + 1, patch));
        assert.deepEqual(after, { ...row, status: "approved", updatedAt: NOON + 1, ...patch });
        assert.deepEqual(await actionsOf(store).find(row.id), after);
      }
    }
  });

  test("a guard compares exactly, to the millisecond and the byte, and if it fails nothing is written", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    const leased = { status: "claimed", leaseHash: TOKEN, leaseExpiresAt: NOON } as const;
    const unleased = { status: "claimed" } as const;
    const cases: [Partial<ActionRow>, ActionMove, MoveGuard, boolean][] = [
      [leased, "start", { leaseHash: Buffer.from(TOKEN) }, true],
      [leased, "start", { leaseHash: OTHER_TOKEN }, false],
      [leased, "start", { leaseHash: TOKEN.subarray(1) }, false],
      [unleased, "start", { leaseHash: TOKEN }, false],
      [leased, "start", { leaseRunsAt: NOON - 1 }, true],
      [leased, "start", { leaseRunsAt: NOON }, false],
      [unleased, "start", { leaseRunsAt: NOON - 1 }, false],
      [leased, "lapse", { leaseOverAt: NOON }, true],
      [leased, "lapse", { leaseOverAt: NOON - 1 }, false],
      [unleased, "lapse", { leaseOverAt: NOON + 1e9 }, false],
      [leased, "cancel", { from: "claimed" }, true],
      [leased, "cancel", { from: "approved" }, false],
      [leased, "approve", { from: "claimed" }, false],
      [leased, "start", { from: "claimed", leaseHash: TOKEN, leaseRunsAt: NOON - 1 }, true],
      [leased, "start", { from: "claimed", leaseHash: OTHER_TOKEN, leaseRunsAt: NOON - 1 }, false],
      [leased, "start", { from: "claimed", leaseHash: TOKEN, leaseRunsAt: NOON }, false],
      [leased, "start", { from: "approved", leaseHash: TOKEN, leaseRunsAt: NOON - 1 }, false],
    ];
    for (const [changes, move, guard, passes] of cases) {
      const row = await add(changes);
      const after = await onActions(store, (actions) => actions.move(row.id, move, NOON + 1, { note: "x" }, guard));
      const say = `${move} ${JSON.stringify(guard)}`;
      assert.equal(after?.status, passes ? STATUS_AFTER[move] : undefined, say);
      assert.deepEqual(await actionsOf(store).find(row.id), after ?? row, say);
    }
  });

  test("a guard and a patch of the same field are two values: a claim's token is checked and replaced", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    const row = await add({ status: "claimed", leaseHash: TOKEN, leaseExpiresAt: NOON });
    const patch = { leaseHash: OTHER_TOKEN, leaseExpiresAt: NOON + 9 };
    const guard = { leaseHash: TOKEN, leaseRunsAt: NOON - 1 };
    const after = await onActions(store, (actions) => actions.move(row.id, "start", NOON, patch, guard));
    assert.deepEqual(after, { ...row, status: "started", ...patch });
  });

  test("of many simultaneous claims of one action one succeeds", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    const row = await add({ status: "approved" });
    const claims = Array.from({ length: 30 }, (_, i) =>
      onActions(store, (actions) => actions.move(row.id, "claim", NOON, { leaseHash: Buffer.alloc(32, i) })),
    );
    const [winner, ...others] = (await Promise.all(claims)).filter((claimed) => claimed !== undefined);
    assert.deepEqual(others, []);
    assert.deepEqual(await actionsOf(store).find(row.id), winner);
  });

  test("a patch changes an action only in the given statuses", async (t) => {
    const store = await found(await open(t));
    const { add } = await ledger(store);
    for (const status of EVERY_STATUS) {
      const row = await add({ status });
      const patch = (within: readonly ActionRow["status"][]) =>
        onActions(store, (actions) => actions.patch(row.id, within, { stopWanted: "cancel" }, NOON + 3));
      assert.equal(await patch(EVERY_STATUS.filter((other) => other !== status)), undefined, status);
      assert.deepEqual(await actionsOf(store).find(row.id), row, status);
      const patched = { ...row, stopWanted: "cancel", updatedAt: NOON + 3 };
      assert.deepEqual(await patch([status]), patched, status);
      assert.deepEqual(await actionsOf(store).find(row.id), patched, status);
    }
  });

  test("another workspace's store can't see or change an action, its starts or its reports", async (t) => {
    const store = await found(await open(t));
    const { account, contact, add } = await ledger(store);
    const row = await add({ status: "approved", kind: "message" });
    const start = { leaseHash: TOKEN, accountId: account.id, actionId: row.id, keyId: "k", kind: row.kind };
    await onActions(store, (actions) => actions.insertStart({ ...start, startedAt: NOON }));
    const foreign = actionsOf(store, W2);
    assert.equal(await foreign.find(row.id), undefined);
    assert.equal(await foreign.findInContext(row.id), undefined);
    for (const filter of [{}, { accountId: account.id }, { contactId: contact.id }, { status: "approved" as const }]) {
      assert.deepEqual(await foreign.list(filter, ALL), { rows: [], total: 0 });
    }
    assert.deepEqual(await foreign.open({ contactId: contact.id }), []);
    assert.deepEqual(await foreign.recipients(account.id, row.recipientUrl), []);
    assert.deepEqual(await foreign.waiting(account.id), []);
    assert.equal(await foreign.findStart(row.id, TOKEN), undefined);
    assert.deepEqual(await foreign.startsSince(account.id, 0), { connection_request: 0, message: 0 });
    assert.equal(await foreign.allStartsSince(0), 0);
    const change = <T>(job: Parameters<typeof onActions<T>>[1]) => onActions(store, job, W2);
    assert.equal(await change((actions) => actions.move(row.id, "claim", NOON)), undefined);
    assert.equal(await change((actions) => actions.patch(row.id, EVERY_STATUS, { note: "x" }, NOON)), undefined);
    const report = { outcome: "message_sent", evidence: "e", statusAfter: "completed", recordedAt: NOON } as const;
    assert.equal(await change((actions) => actions.recordOutcome(TOKEN, report)), false);
    assert.deepEqual(await actionsOf(store).find(row.id), row);
    assert.equal((await actionsOf(store).findStart(row.id, TOKEN))?.outcome, null);
  });

  test("an action includes its account, its contact and its sequence, if it has one", async (t) => {
    const store = await found(await open(t));
    const { account, contact, add } = await ledger(store);
    const { sequenceId, approvalId } = await parts(store);
    const enrolled = enrollment({ sequenceId, approvalId, contactId: contact.id });
    await store.write(W1, ({ enrollments }) => enrollments.insert(enrolled));
    const sender = { accountLabel: account.label, accountProfileUrl: account.profileUrl };
    const named = { ...sender, firstName: "Grace", lastName: "Hopper", company: "Flow-Matic" };
    const alone = await add({ createdAt: NOON + 1 });
    const step = await add({ enrollmentId: enrolled.id, sequenceId, step: 0, stepCount: 1, origin: "engine" });
    const contexts = [
      { ...alone, ...named, sequenceName: null, sequenceStatus: null },
      { ...step, ...named, sequenceName: "n", sequenceStatus: "draft" },
    ];
    assert.deepEqual(await actionsOf(store).findInContext(alone.id), contexts[0]);
    assert.deepEqual(await actionsOf(store).findInContext(step.id), contexts[1]);
    assert.deepEqual(await actionsOf(store).list({}, ALL), { rows: contexts, total: 2 });
    assert.deepEqual(await actionsOf(store).open({ enrollmentId: enrolled.id }), [step]);
  });

  test("actions are listed newest first with ties by id, by every combination of filters, page by page", async (t) => {
    const store = await found(await open(t));
    const [one, two] = [await ledger(store), await ledger(store)];
    await (await ledger(store, W2)).add();
    const rows: ActionRow[] = [];
    for (const account of [one, two])
      for (const contact of [one, two])
        for (const status of ["planned", "approved", "completed"] as const)
          for (let i = 0; i < 2; i += 1) {
            const of = { accountId: account.account.id, contactId: contact.contact.id };
            rows.push(await account.add({ ...of, status, createdAt: NOON + ((rows.length * 5) % 7) }));
          }
    rows.sort((x, y) => y.createdAt - x.createdAt || (x.id < y.id ? 1 : -1));
    for (const accountId of [undefined, one.account.id])
      for (const contactId of [undefined, two.contact.id])
        for (const status of [undefined, "approved" as const, "failed" as const]) {
          const filter: ActionFilter = { accountId, contactId, status };
          const wanted = rows
            .filter((row) =>
              Object.entries(filter).every(([name, value]) => value === undefined || row[name as "id"] === value),
            )
            .map(({ id }) => id);
          const list = async (limit: number, offset: number) => {
            const { rows: page, total } = await actionsOf(store).list(filter, { limit, offset });
            assert.equal(total, wanted.length);
            return page.map(({ id }) => id);
          };
          assert.deepEqual(await list(1_000, 0), wanted);
          assert.deepEqual(await list(3, 2), wanted.slice(2, 5));
          assert.deepEqual(await list(3, 1_000), []);
        }
  });

  test("the open actions of a contact or an enrollment are exactly the unfinished ones", async (t) => {
    const store = await found(await open(t));
    const [one, other] = [await ledger(store), await ledger(store)];
    const { sequenceId, approvalId } = await parts(store);
    const enrolled = enrollment({ sequenceId, approvalId, contactId: one.contact.id });
    await store.write(W1, ({ enrollments }) => enrollments.insert(enrolled));
    const rows: ActionRow[] = [];
    for (const status of EVERY_STATUS) {
      rows.push(await one.add({ status }), await one.add({ status, enrollmentId: enrolled.id }));
      await other.add({ status });
    }
    const openIds = (of: Partial<ActionRow>) =>
      rows
        .filter(
          ({ status, enrollmentId }) => OPEN_ACTION.some((s) => s === status) && (!of.enrollmentId || enrollmentId),
        )
        .map(({ id }) => id)
        .sort();
    const ids = (found: ActionRow[]) => found.map(({ id }) => id).sort();
    assert.deepEqual(ids(await actionsOf(store).open({ contactId: one.contact.id })), openIds({}));
    const ofEnrollment = { enrollmentId: enrolled.id };
    assert.deepEqual(ids(await actionsOf(store).open(ofEnrollment)), openIds(ofEnrollment));
    assert.equal(openIds({}).length, 12);
  });

  test("actions that no member approved move in one write, only those of one account and status", async (t) => {
    const store = await found(await open(t));
    const [one, other] = [await ledger(store), await ledger(store)];
    const untouched = [await other.add({ status: "approved" })];
    for (const status of ["planned", "approved", "claimed"] as const)
      untouched.push(await one.add({ status, approvedBy: "m" }));
    untouched.push(await one.add({ status: "claimed" }), await one.add({ status: "held" }));
    const waiting = [await one.add({ status: "approved" }), await one.add({ status: "approved" })];
    const moved = (from: ActionStatus, move: "approve" | "void_approval") =>
      onActions(store, (actions) => actions.moveUnattended(one.account.id, from, move, NOON + 1));
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
    assert.deepEqual(ids(await moved("approved", "void_approval")), ids(waiting));
    for (const { id } of waiting) assert.equal((await actionsOf(store).find(id))?.status, "planned");
    for (const row of untouched) assert.deepEqual(await actionsOf(store).find(row.id), row);
    const named = await onActions(store, (actions) =>
      actions.moveUnattended(one.account.id, "planned", "approve", NOON + 1, [
        waiting[0]?.id ?? "",
        untouched[0]?.id ?? "",
      ]),
    );
    assert.deepEqual(ids(named), ids(waiting.slice(0, 1)), "of those that are named");
    assert.deepEqual(ids(await moved("planned", "approve")), ids(waiting.slice(1)));
    assert.deepEqual(await moved("held", "approve"), [], "no move of the table");
  });

  test("an answer to a reply is distinguished from other actions, and no account approves it", async (t) => {
    const store = await found(await open(t));
    const { account, add } = await ledger(store);
    const reply = (contactId: string, type: "email_reply" | "socialnet_reply" | "email_sent", workspaceId = W1) =>
      store.write(workspaceId, ({ activities }) =>
        activities.insert({ id: newId(), contactId, type, subject: null, body: null, metadata: {}, now: NOON }),
      );
    const plan = async (name: string, origin: "member" | "engine" = "member") => {
      const { contact } = await insert(store, { first_name: name });
      return add({ contactId: contact.id, recipientUrl: `https://socialnet.example/in/${name}`, origin });
    };
    const [own, twin, earlier] = [await plan("own"), await plan("twin"), await plan("earlier")];
    const [none, engines] = [await plan("none"), await plan("engines", "engine")];
    await reply(own.contactId, "email_reply");
    await reply(engines.contactId, "socialnet_reply");
    await reply(none.contactId, "email_sent");
    const { contact } = await insert(store, { first_name: "Also", socialnet_url: `${twin.recipientUrl}/` });
    await reply(contact.id, "socialnet_reply");
    // More contacts with the profile hide none.
    for (let i = 0; i < 60; i += 1) await insert(store, { first_name: "x", socialnet_url: twin.recipientUrl });
    const { contact: gone } = await insert(store, { first_name: "Gone" });
    await add({ contactId: gone.id, recipientUrl: earlier.recipientUrl, status: "completed" });
    await reply(gone.id, "email_reply");
    const answers = (row: ActionRow, workspaceId = W1) => actionsOf(store, workspaceId).hasReply(row);
    assert.deepEqual(await Promise.all([own, twin, earlier, none].map((row) => answers(row))), [
      true,
      true,
      true,
      false,
    ]);
    assert.equal(await answers(own, W2), false);
    const moved = await onActions(store, (actions) =>
      actions.moveUnattended(account.id, "planned", "approve", NOON + 1),
    );
    assert.deepEqual(moved.map(({ id }) => id).sort(), [none.id, engines.id].sort());
  });

  test("recipients are found by profile, in any spelling, only in the account", async (t) => {
    const store = await found(await open(t));
    const [one, other] = [await ledger(store), await ledger(store)];
    const row = await one.add({ status: "completed" });
    await other.add({ status: "completed" });
    assert.deepEqual(await actionsOf(store).recipients(one.account.id, `${row.recipientUrl}/?a=b`), [row.contactId]);
    assert.deepEqual(await actionsOf(store).recipients(one.account.id, "https://socialnet.example/in/nobody"), []);
    const { contact } = await insert(store, { first_name: "Zoe" });
    await one.add({ status: "completed", contactId: contact.id, recipientUrl: `${row.recipientUrl}?id=1` });
    for (const [tail, first] of [
      ["?id=1", contact.id],
      ["", row.contactId],
    ] as const) {
      const found = await actionsOf(store).recipients(one.account.id, row.recipientUrl + tail);
      assert.deepEqual([found[0], found.length], [first, 2], tail);
    }
  });

  test("pending work is counted by kind, origin and sequence: only approved actions of the account", async (t) => {
    const store = await found(await open(t));
    const [one, other] = [await ledger(store), await ledger(store)];
    assert.deepEqual(await actionsOf(store).waiting(one.account.id), []);
    for (const status of EVERY_STATUS) await one.add({ status, kind: "connection_request", origin: "engine" });
    for (let i = 0; i < 3; i += 1) await one.add({ status: "approved", kind: "message", origin: "member" });
    await one.add({ status: "approved", kind: "message", origin: "engine" });
    const { sequenceId } = await parts(store);
    for (let i = 0; i < 2; i += 1) await one.add({ status: "approved", origin: "engine", sequenceId });
    await store.write(W1, ({ sequences }) => sequences.update(sequenceId, { status: "paused", now: NOON }));
    await other.add({ status: "approved" });
    const counted = (await actionsOf(store).waiting(one.account.id)).map(({ kind, origin, sequenceStatus, count }) => [
      kind,
      origin,
      sequenceStatus,
      count,
    ]);
    assert.deepEqual(counted.sort(), [
      ["connection_request", "engine", null, 1],
      ["message", "engine", null, 1],
      ["message", "engine", "paused", 2],
      ["message", "member", null, 3],
    ]);
  });

  test("starts are counted by kind since a moment, inclusive, per account and workspace", async (t) => {
    const store = await found(await open(t));
    const [one, other, foreign] = [await ledger(store), await ledger(store), await ledger(store, W2)];
    const begin = async (of: typeof one, kind: ActionKind, startedAt: number, workspaceId = W1) => {
      const { id } = await of.add({ kind, status: "started" });
      const leaseHash = Buffer.from(newId());
      const start = { leaseHash, accountId: of.account.id, actionId: id, keyId: "k", kind, startedAt };
      await onActions(store, (actions) => actions.insertStart(start), workspaceId);
    };
    for (const at of [NOON - 1, NOON, NOON + 1]) await begin(one, "message", at);
    await begin(one, "connection_request", NOON);
    await begin(other, "message", NOON);
    await begin(foreign, "message", NOON, W2);
    const since = (at: number) => actionsOf(store).startsSince(one.account.id, at);
    assert.deepEqual(await since(NOON - 1), { connection_request: 1, message: 3 });
    assert.deepEqual(await since(NOON), { connection_request: 1, message: 2 });
    assert.deepEqual(await since(NOON + 1), { connection_request: 0, message: 1 });
    assert.deepEqual(await since(NOON + 2), { connection_request: 0, message: 0 });
    for (const [at, count] of [
      [NOON - 1, 5],
      [NOON, 4],
      [NOON + 1, 1],
      [NOON + 2, 0],
    ] as const) {
      assert.equal(await actionsOf(store).allStartsSince(at), count);
    }
    assert.equal(await actionsOf(store, W2).allStartsSince(0), 1);
  });

  test("a start is found by its action and its token, and only once: a token starts one execution", async (t) => {
    const store = await found(await open(t));
    const { account, add } = await ledger(store);
    const [row, other] = [await add({ status: "started" }), await add({ status: "started" })];
    const start = { leaseHash: TOKEN, accountId: account.id, actionId: row.id, keyId: "k", kind: row.kind };
    const begin = () => onActions(store, (actions) => actions.insertStart({ ...start, startedAt: NOON }));
    await begin();
    await assert.rejects(begin());
    const reported = { outcome: null, evidence: null, statusAfter: null, recordedAt: null };
    assert.deepEqual(await actionsOf(store).findStart(row.id, TOKEN), { ...start, startedAt: NOON, ...reported });
    assert.equal(await actionsOf(store).findStart(row.id, OTHER_TOKEN), undefined);
    assert.equal(await actionsOf(store).findStart(other.id, TOKEN), undefined);
  });

  test("the result of a start is recorded once, and the first report stays", async (t) => {
    const store = await found(await open(t));
    const { account, add } = await ledger(store);
    const row = await add({ status: "started" });
    const start = { leaseHash: TOKEN, accountId: account.id, actionId: row.id, keyId: "k", kind: row.kind };
    await onActions(store, (actions) => actions.insertStart({ ...start, startedAt: NOON }));
    const reports = (["message_sent", "not_sent"] as const).flatMap((outcome) =>
      Array.from({ length: 5 }, (_, i) => ({
        outcome,
        evidence: `${outcome} ${i}`,
        recordedAt: NOON + i,
        statusAfter: outcome === "not_sent" ? ("failed" as const) : ("completed" as const),
      })),
    );
    const record = (report: (typeof reports)[number], hash = TOKEN) =>
      onActions(store, (actions) => actions.recordOutcome(hash, report));
    assert.equal(await record(reports[0] as (typeof reports)[number], OTHER_TOKEN), false);
    const recorded = await Promise.all(reports.map((report) => record(report)));
    assert.equal(recorded.filter(Boolean).length, 1);
    const first = reports[recorded.indexOf(true)];
    assert.deepEqual(await actionsOf(store).findStart(row.id, TOKEN), { ...start, startedAt: NOON, ...first });
  });
}
