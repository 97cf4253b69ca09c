import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import type { ContactQuery } from "../../src/store/contacts.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { idOf, NOON, W1 } from "./conformance/fixtures.ts";

/** More than the store sorts: beyond it, it walks the order instead. */
const MANY = 2_500;

/** Keeps the text of every statement that is prepared from here on. */
function recordStatements(): Set<string> {
  const texts = new Set<string>();
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (this: Database.Database, text: string) {
    texts.add(text);
    return prepare.call(this, text);
  } as typeof prepare;
  return texts;
}

function planOf(db: Database.Database, text: string): string[] {
  const names = new Set([...text.matchAll(/@(\w+)/g)].map(([, name]) => name as string));
  const positions = text.split("?").length - 1;
  const values = names.size > 0 ? [Object.fromEntries([...names].map((name) => [name, 1]))] : Array(positions).fill(1);
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

const given = <T>(value: T) => [undefined, value];

test("no statement of the store walks the whole of contacts, whatever the filter, the order and the data", async (t) => {
  const prepared = recordStatements();
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  await store.write(W1, ({ workspace }) => workspace.create("one", NOON));
  await store.write(W1, async ({ contacts }) => {
    for (let i = 0; i < MANY; i += 1) {
      const fields = { email: `p${i}@x.example`, company: "Acme" };
      await contacts.insert({ id: idOf(i + 1), fields, source: "import", now: NOON + i });
    }
  });
  const { contacts } = store.read(W1);
  const shapes: ContactQuery[] = [];
  for (const email of given("p1@x.example"))
    for (const company of [...given("Acme"), "none"])
      for (const source of [...given("import"), "none"])
        for (const updatedSince of [...given(NOON), NOON + MANY])
          for (const sort of ["created_at", "updated_at"] as const)
            for (const direction of ["asc", "desc"] as const)
              shapes.push({ filter: { email, company, source, updatedSince }, sort, direction, limit: 25, offset: 0 });
  for (const shape of shapes) await contacts.query(shape);
  assert.equal(shapes.length, 216);
  await contacts.list({ limit: 25, offset: 0 });
  await contacts.list({ limit: 25, offset: 2_000 });
  const one = await contacts.findByEmail("p1@x.example");
  await store.write(W1, (bound) => bound.contacts.update(one?.seq ?? 0, { fields: { phone: "1" }, now: NOON }));
  await store.write(W1, (bound) => bound.contacts.archive(idOf(5), NOON));

  const beside = new Database(file, { readonly: true });
  t.after(() => beside.close());
  const aboutContacts = [...prepared].filter((text) => /\b"?contacts"?\b/.test(text) && !/^CREATE|^PRAGMA/i.test(text));
  assert.ok(aboutContacts.length > 60, `${aboutContacts.length} statements`);
  const sorted: string[] = [];
  for (const text of aboutContacts) {
    const plan = planOf(beside, text);
    // The ping asks whether the table is there: its scan ends at the first row.
    if (!text.includes("(SELECT 1 FROM contacts LIMIT 1)")) {
      assert.ok(!plan.some((line) => /^SCAN contacts/.test(line)), `${text}\n${plan.join("\n")}`);
    }
    if (plan.some((line) => line.includes("TEMP B-TREE"))) sorted.push(text);
  }
  for (const text of sorted) {
    const index = /INDEXED BY (\w+)/.exec(text)?.[1] ?? "";
    const order = /ORDER BY (\w+)/.exec(text)?.[1] ?? "";
    // Few matches of a filter whose index has another order are fetched and sorted; nothing else is.
    // And four stages are counted by an index that has them in another order.
    if (/ GROUP BY lifecycle$/.test(text)) continue;
    const meant = { contacts_email: [order], contacts_company: ["updated_at"], contacts_source: ["updated_at"] };
    const wanted = { ...meant, contacts_updated: ["created_at"] }[index] ?? [];
    assert.ok(wanted.includes(order), `${text}\nis sorted, and ${index} ordered by ${order} was not meant to be`);
  }
  assert.ok(sorted.length > 0);
  const walks = (filter: string, index: string) => (text: string) => text.includes(filter) && text.includes(index);
  for (const [filter, index] of [
    ["company = @company", "INDEXED BY contacts_updated"],
    ["source = @source", "INDEXED BY contacts_updated"],
    ["updated_at >= @since", "INDEXED BY contacts_created"],
  ] as const) {
    assert.ok(aboutContacts.some(walks(filter, index)), `too many of ${filter} to sort: the order is walked`);
  }
});
