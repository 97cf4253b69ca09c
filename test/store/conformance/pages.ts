import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Contact } from "../../../src/domain/contacts/contact.ts";
import type { ContactQuery } from "../../../src/store/contacts.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";

interface Made {
  id: string;
  email: string | null;
  company: string | null;
  source: string;
  createdAt: number;
  updatedAt: number;
  live: boolean;
}

const COMPANIES = [null, "Acme", "acme", "Ünïted", "100%_"];
const SOURCES = ["public_api", "import", "agent"];
const TICK = 1_000;

const small = (max: number) => fc.nat({ max });
const anyContact = fc.record({
  company: fc.constantFrom(...COMPANIES),
  source: fc.constantFrom(...SOURCES),
  created: small(5),
  updated: small(5),
  named: fc.boolean(),
  live: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
});
type Drawn = typeof anyContact extends fc.Arbitrary<infer T> ? T : never;

const anyQuery = fc.record({
  email: fc.option(small(60), { nil: undefined, freq: 4 }),
  company: fc.option(fc.constantFrom("Acme", "acme", "Ünïted", "100%_", "none"), { nil: undefined }),
  source: fc.option(fc.constantFrom(...SOURCES, "none"), { nil: undefined }),
  since: fc.option(small(12), { nil: undefined }),
  sort: fc.constantFrom("created_at", "updated_at"),
  direction: fc.constantFrom("asc", "desc"),
  limit: fc.integer({ min: 1, max: 30 }),
  offset: small(40),
} as const);

/** Writes the contacts in one job, in the order given, with ids that do not follow it. */
async function fill(store: Store, rows: readonly Drawn[]) {
  return store.write(W1, async ({ contacts }) => {
    const made: Made[] = [];
    for (const [i, row] of rows.entries()) {
      const id = idOf((i * 7919) % 10_007);
      const email = row.named ? `P${i}@x.example` : null;
      const createdAt = NOON + row.created * TICK;
      const updatedAt = createdAt + row.updated * TICK;
      const fields = { email, first_name: `${i}`, company: row.company };
      const record = await contacts.insert({ id, fields, source: row.source, now: createdAt });
      await contacts.update(record, { fields: {}, now: updatedAt });
      if (!row.live) await contacts.archive(id, updatedAt);
      made.push({ id, email, company: row.company, source: row.source, createdAt, updatedAt, live: row.live });
    }
    return made;
  });
}

function naive(made: readonly Made[], { filter, sort, direction, limit, offset }: ContactQuery) {
  const key = sort === "created_at" ? "createdAt" : "updatedAt";
  const sign = direction === "asc" ? 1 : -1;
  const matching = made
    .filter(({ live }) => live)
    .filter(({ email }) => filter.email === undefined || email?.toLowerCase() === filter.email.toLowerCase())
    .filter(({ company }) => filter.company === undefined || company === filter.company)
    .filter(({ source }) => filter.source === undefined || source === filter.source)
    .filter(({ updatedAt }) => filter.updatedSince === undefined || updatedAt >= filter.updatedSince)
    .sort((a, b) => sign * (a[key] - b[key] || (a.id < b.id ? -1 : 1)));
  return { ids: matching.slice(offset, offset + limit).map(({ id }) => id), total: matching.length };
}

const idsOf = (rows: readonly Contact[]) => rows.map(({ id }) => id);

export function pagesConform(open: OpenStore): void {
  test("a query returns the same as a filter and a sort in memory, for any contacts and any query", async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyContact, { maxLength: 60, size: "max" }),
        fc.array(anyQuery, { minLength: 30, maxLength: 30 }),
        async (rows, queries) => {
          const store = await found(await open(t));
          const made = await fill(store, rows);
          for (const { email, company, source, since, ...order } of queries) {
            const filter = {
              email: email === undefined ? undefined : `p${email}@X.example`,
              company,
              source,
              updatedSince: since === undefined ? undefined : NOON + since * TICK,
            };
            const query = { filter, ...order };
            const { rows: page, count, total } = await store.read(W1).contacts.query(query);
            const expected = naive(made, query);
            assert.deepEqual([idsOf(page.parse()), total], [expected.ids, expected.total], JSON.stringify(query));
            assert.equal(count, expected.ids.length);
            assert.equal((await store.read(W2).contacts.query(query)).total, 0);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test("a query returns the same if its matches are too many to sort", async (t) => {
    const store = await found(await open(t));
    const drawn = fc.sample(anyContact, { numRuns: 6_000, seed: 42 });
    const many = drawn.map((row, i) => ({
      ...row,
      company: i % 4 ? "Acme" : "Other",
      source: i % 5 ? "import" : "agent",
    }));
    const made = await fill(store, many);
    const filters: ContactQuery["filter"][] = [
      {},
      { company: "Acme" },
      { source: "import" },
      { company: "Acme", source: "import" },
      { updatedSince: NOON + 3 * TICK },
      { source: "import", updatedSince: NOON + 3 * TICK },
    ];
    for (const filter of filters) {
      for (const sort of ["created_at", "updated_at"] as const) {
        for (const direction of ["asc", "desc"] as const) {
          for (const offset of [0, 700, 5_990]) {
            const query = { filter, sort, direction, limit: 25, offset };
            const { rows, total } = await store.read(W1).contacts.query(query);
            const expected = naive(made, query);
            assert.deepEqual([idsOf(rows.parse()), total], [expected.ids, expected.total], JSON.stringify(query));
          }
        }
      }
    }
  });

  test("the list is newest first and exact at any depth, wherever archived contacts are missing", async (t) => {
    const store = await found(await open(t));
    const live: string[] = [];
    // Alternating workspaces, with long archived stretches and scattered archived rows.
    for (let batch = 0; batch < 60; batch += 1) {
      await store.write(W1, async ({ contacts }) => {
        for (let i = batch * 100; i < batch * 100 + 100; i += 1) {
          const id = idOf(i + 1);
          await contacts.insert({ id, fields: { first_name: `${i}` }, source: "import", now: NOON });
          const gone = (i >= 1_500 && i < 3_700) || i % 7 === 0;
          if (gone) await contacts.archive(id, NOON);
          else live.unshift(id);
        }
      });
      await store.write(W2, async ({ contacts }) => {
        for (let i = 0; i < 10; i += 1) {
          const id = idOf(1_000_000 + batch * 10 + i);
          await contacts.insert({ id, fields: { first_name: "Other" }, source: "import", now: NOON });
        }
      });
    }
    const { contacts } = store.read(W1);
    const depths = [0, 1, 1_000, 1_023, 1_024, 1_025, 1_900, 2_047, 2_048, 2_500, 3_000, live.length - 10];
    for (const offset of [...depths, live.length - 1, live.length, live.length + 5_000, Number.MAX_SAFE_INTEGER]) {
      const { rows, count, total } = await contacts.list({ limit: 25, offset });
      const expected = live.slice(offset, offset + 25);
      assert.deepEqual(idsOf(rows.parse()), expected, `at ${offset}`);
      assert.deepEqual([count, total], [expected.length, live.length]);
    }
    assert.equal((await store.read(W2).contacts.list({ limit: 1, offset: 599 })).count, 1);
    assert.equal((await store.read(W2).contacts.list({ limit: 1, offset: 600 })).count, 0);
  });
}
