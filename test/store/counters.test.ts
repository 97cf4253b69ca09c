import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EmailTaken } from "../../src/store/contacts.ts";
import { openBeside } from "../support/beside.ts";
import { isPostgres, openStoreOf } from "../support/engine-under-test.ts";
import { sendRow } from "../support/sends.ts";
import { temporaryFolder } from "../support/server.ts";
import { deal } from "./conformance/deals.ts";
import { enrollment, parts } from "./conformance/enrollments.ts";
import { found, idOf, NOON, W1, W2 } from "./conformance/fixtures.ts";
import { action, ledger } from "./conformance/socialnet-fixtures.ts";

const workspace = fc.constantFrom(W1, W2);
const which = fc.nat({ max: 30 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("insert"), workspace, which, source: fc.constantFrom("a", "b") }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("archive"), workspace, which, source: fc.constant("") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("update"), workspace, which, source: fc.constant("") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail"), workspace, which, source: fc.constant("a") }) },
  // The next contact comes at least a block later, as if others were in between.
  { weight: 1, arbitrary: fc.record({ do: fc.constant("jump"), workspace, which, source: fc.constant("") }) },
);

const SEQUENCE = "pg_get_serial_sequence('contacts', 'seq')";
const JUMP = isPostgres
  ? `SELECT setval(${SEQUENCE}, nextval(${SEQUENCE}) + 1000)`
  : "UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = 'contacts'";

test("the block and source counters match the live contacts, after any sequence of writes", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      const folder = temporaryFolder(t);
      const store = await openStoreOf(folder);
      t.after(() => store.close());
      const beside = openBeside(folder);
      t.after(() => beside.close());
      for (const id of [W1, W2]) await store.write(id, (bound) => bound.workspace.create(id, NOON));
      const made: string[] = [];
      let number = 1;
      const run = ({ do: what, workspace: at, which: n, source }: (typeof steps)[number]) =>
        store.write(at, async ({ contacts }) => {
          const known = made[n % (made.length || 1)] ?? "";
          if (what === "archive") return contacts.archive(known, NOON);
          if (what === "update") {
            const found = await contacts.find(known);
            return found && contacts.update(found, { fields: { company: "x" }, tags: ["t"], now: NOON });
          }
          const id = idOf(number++);
          made.push(id);
          const fields = { email: `p${n}@x.example` };
          await contacts.insert({ id, fields, source, now: NOON });
          if (what === "fail") throw new EmailTaken();
        });
      for (const one of steps) {
        if (one.do === "jump") {
          beside.exec(JUMP);
        } else {
          await run(one).catch((error: unknown) => assert.ok(error instanceof EmailTaken, String(error)));
        }
      }
      const rows = (sql: string) => beside.prepare(sql).raw().all();
      const live = "FROM contacts WHERE archived_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2";
      assert.deepEqual(
        rows("SELECT workspace_id, block, live FROM contact_blocks WHERE live <> 0 ORDER BY 1, 2"),
        rows(`SELECT workspace_id, seq / 1024, count(*) ${live}`),
      );
      assert.deepEqual(
        rows("SELECT workspace_id, source, live FROM contact_sources WHERE live <> 0 ORDER BY 1, 2"),
        rows(`SELECT workspace_id, source, count(*) ${live}`),
      );
    }),
    { numRuns: 40 },
  );
});

const LISTS = [
  { on: "enrollments", list: "enrollments", part: "sequence_id", status: "status" },
  { on: "sends", list: "sends", part: "sequence_id", status: "status" },
  { on: "actions", list: "socialnet_actions", part: "account_id", status: "status" },
  { on: "deals", list: "deals", part: "''", status: "stage" },
] as const;

const change = fc.record({
  on: fc.constantFrom("enrollments", "sends", "actions", "deals"),
  do: fc.constantFrom("insert", "insert", "change", "fail"),
  part: fc.nat({ max: 1 }),
  which: fc.nat({ max: 30 }),
});

test("the counts of long lists match their rows, after any sequence of writes", async (t) => {
  const folder = temporaryFolder(t);
  const store = await openStoreOf(folder);
  await found(store);
  t.after(() => store.close());
  const beside = openBeside(folder);
  t.after(() => beside.close());
  const of = [await parts(store), await parts(store)] as const;
  const accounts = [await ledger(store), await ledger(store)] as const;
  const made: Record<(typeof LISTS)[number]["on"], string[]> = { enrollments: [], sends: [], actions: [], deals: [] };
  let number = 0x90_0000;
  const undone = () => Promise.reject(new EmailTaken());

  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 40 }), async (changes) => {
      for (const { on, do: what, part, which } of changes) {
        const known = made[on][which % (made[on].length || 1)] ?? idOf(0);
        const id = idOf(number++);
        const its = of[part as 0 | 1];
        const account = accounts[part as 0 | 1];
        await store
          .write(W1, async ({ enrollments, sends, socialnetActions, deals }) => {
            if (on === "enrollments") {
              // A contact who is already enrolled is not enrolled again, and not counted.
              if (what === "change") await enrollments.stop(known, "stopped_replied", NOON);
              else if (await enrollments.insert(enrollment(its, { id }))) made.enrollments.push(id);
            } else if (on === "sends") {
              const [enrollmentId] = made.enrollments;
              if (what === "change") await sends.move(known, ["sending", "retry"], which % 2 ? "sent" : "retry", NOON);
              else if (enrollmentId !== undefined) {
                await sends.insert(sendRow({ ...its, id, enrollmentId, step: number, status: "sending" }));
                made.sends.push(id);
              }
            } else if (on === "actions") {
              if (what === "change") await socialnetActions.move(known, which % 2 ? "approve" : "cancel", NOON);
              else {
                const ids = { accountId: account.account.id, contactId: account.contact.id };
                await socialnetActions.insert({ ...action(ids), id });
                made.actions.push(id);
              }
            } else if (what === "change") {
              const stage = which % 2 ? "proposal" : "closed_won";
              await deals.change(known, { stage, probability: null, expectedCloseDate: null, by: "ada" } as never);
            } else {
              await deals.insert({ ...deal(its.contactId), id });
              made.deals.push(id);
            }
            if (what === "fail") await undone();
          })
          .catch((error: unknown) => {
            assert.ok(error instanceof EmailTaken, String(error));
            made[on] = made[on].filter((one) => one !== id);
          });
      }
      for (const { list, part, status } of LISTS) {
        const rows = (sql: string) => beside.prepare(sql).raw().all();
        const order = "ORDER BY 1, 2, 3";
        assert.deepEqual(
          rows(
            `SELECT workspace_id, part, status, total FROM list_counts WHERE list = '${list}' AND total <> 0 ${order}`,
          ),
          rows(`SELECT workspace_id, ${part}, ${status}, count(*) FROM ${list} GROUP BY 1, 2, 3 ${order}`),
          list,
        );
      }
    }),
    { numRuns: 30 },
  );
  for (const ids of Object.values(made)) assert.ok(ids.length > 0);
});
