import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import fc from "fast-check";
import { EmailTaken } from "../../src/store/contacts.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { idOf, NOON, W1, W2 } from "./conformance/fixtures.ts";

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
  // The next contact comes a block or more later, as if others lay between.
  { weight: 1, arbitrary: fc.record({ do: fc.constant("jump"), workspace, which, source: fc.constant("") }) },
);

test("the counters of blocks and sources are those of the live contacts, after any sequence of writes", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      const file = join(temporaryFolder(t), "rostrum.db");
      const store = await openSqliteStore(file);
      t.after(() => store.close());
      const beside = new Database(file);
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
            return found && contacts.update(found.seq, { fields: { company: "x" }, tags: ["t"], now: NOON });
          }
          const id = idOf(number++);
          made.push(id);
          const fields = { email: `p${n}@x.example` };
          await contacts.insert({ id, fields, source, now: NOON });
          if (what === "fail") throw new EmailTaken();
        });
      for (const one of steps) {
        if (one.do === "jump") {
          const jumped = beside.prepare("UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = 'contacts'");
          jumped.run();
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
