import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BOUNDS, type Provenance } from "../../../src/store/contacts.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, idOf, insert, NOON, update, W1, W2 } from "./fixtures.ts";
import { addSequence, approve } from "./sequences.ts";

let made = 0x60_0000;
const newId = () => idOf(made++);

function note(store: Store, contactId: string): Promise<string> {
  const id = newId();
  const rest = { type: "note_added", subject: "s", body: "b", metadata: { n: 1 }, now: NOON } as const;
  return store.write(W1, async ({ activities }) => (await activities.insert({ id, contactId, ...rest })).id);
}

function deal(store: Store, contactId: string, stage: "proposal" | "closed_won", now: number) {
  const rest = { title: "t", value: 0.1 + 0.2, currency: "USD", probability: null, expectedCloseDate: null };
  return store.write(W1, ({ deals }) => deals.insert({ id: newId(), contactId, stage, ...rest, now }));
}

function assess(store: Store, contactId: string, confirmedAt: number | null, createdAt: number): Promise<string> {
  const id = newId();
  const no = { confirmed: false };
  const answers = { budget: no, authority: no, need: no, timeline: no };
  const row = { id, contactId, answers, confirmedBy: confirmedAt === null ? null : "m", confirmedAt, createdAt };
  return store.write(W1, async ({ bant }) => {
    await bant.insert(row);
    return id;
  });
}

/** Edits of one contact, oldest first. */
function edit(store: Store, seq: number, edits: Partial<Provenance>[]): Promise<void> {
  return store.write(W1, async ({ contacts }) => {
    const imported = { seq, fields: ["phone"], source: "import", actorId: "i", now: NOON } as const;
    for (const more of edits) await contacts.recordProvenance({ ...imported, ...more });
  });
}

function makeAccount(store: Store, id: string): Promise<void> {
  const row = { id, name: "Acme", domain: null, website: null, industry: null, createdAt: NOON, updatedAt: NOON };
  return store.write(W1, ({ accounts }) => accounts.insert(row));
}

export function brainConforms(open: OpenStore): void {
  test("the newest activities of many contacts are the newest overall", async (t) => {
    const store = await found(await open(t));
    const contacts: string[] = [];
    for (let i = 0; i < 50; i += 1) contacts.push((await insert(store, { first_name: "x" })).contact.id);
    const written: { id: string; contactId: string }[] = [];
    const some = fc.array(fc.nat(49), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(some, fc.subarray(contacts, { minLength: 25 }), async (writers, asked) => {
        for (const writer of writers) {
          const contactId = contacts[writer] as string;
          written.unshift({ id: await note(store, contactId), contactId });
        }
        const expected = written.filter(({ contactId }) => asked.includes(contactId)).slice(0, BOUNDS.activities);
        const found = await store.read(W1).brain.activities(asked);
        assert.deepEqual(
          found.map(({ id, contact_id }) => ({ id, contactId: contact_id })),
          expected,
        );
      }),
      { numRuns: 25 },
    );
  });

  test("the timelines of many contacts are merged into one, page by page, however many entries each has", async (t) => {
    const store = await found(await open(t));
    const contacts: string[] = [];
    for (let i = 0; i < 8; i += 1) contacts.push((await insert(store, { first_name: "x" })).contact.id);
    const written: { id: string; contactId: string }[] = [];
    const { brain } = store.read(W1);
    const some = fc.array(fc.nat(7), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(some, fc.subarray(contacts), fc.integer({ min: 1, max: 9 }), async (writers, asked, limit) => {
        for (const writer of writers) {
          const contactId = contacts[writer] as string;
          written.unshift({ id: await note(store, contactId), contactId });
        }
        const read: string[] = [];
        for (let before: number | null | undefined; before !== null; ) {
          const page = await brain.timeline(asked, { limit, before: before ?? null });
          assert.ok(page.next === null || page.rows.length === limit);
          read.push(...page.rows.map(({ id }) => id));
          before = page.next;
        }
        const expected = written.filter(({ contactId }) => asked.includes(contactId));
        assert.deepEqual(
          read,
          expected.map(({ id }) => id),
        );
      }),
      { numRuns: 25 },
    );
    const { next } = await brain.timeline(contacts, { limit: 1, before: null });
    assert.equal(await store.read(W1).activities.addedAt(next ?? 0), NOON);
    assert.equal(await store.read(W2).activities.addedAt(next ?? 0), undefined);
    assert.deepEqual(await store.read(W2).brain.timeline(contacts, { limit: 5, before: null }), {
      rows: [],
      next: null,
    });
  });

  test("deals are ordered open first, newest first, without the excluded one", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const other = await insert(store, { first_name: "Grace" });
    const won = await deal(store, contact.id, "closed_won", NOON + 9);
    const old = await deal(store, contact.id, "proposal", NOON);
    const young = await deal(store, other.contact.id, "proposal", NOON + 1);
    const { brain } = store.read(W1);
    assert.deepEqual(await brain.deals([contact.id, other.contact.id]), [young, old, won]);
    assert.deepEqual(await brain.deals([contact.id], old.id), [won]);
    assert.deepEqual(await brain.deals([]), []);
  });

  test("the assessment confirmed last and the latest unconfirmed one are returned", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const { brain } = store.read(W1);
    assert.deepEqual(await brain.bant(contact.id), { confirmed: null, unconfirmed: null });
    const stands = await assess(store, contact.id, NOON + 5, NOON);
    await assess(store, contact.id, NOON + 4, NOON + 4);
    const pending = await assess(store, contact.id, null, NOON + 2);
    await assess(store, contact.id, null, NOON + 1);
    const { confirmed, unconfirmed } = await brain.bant(contact.id);
    assert.deepEqual([confirmed?.id, unconfirmed?.id], [stands, pending]);
  });

  test("a field's origin is its latest edit, however many edits other fields had since", async (t) => {
    const store = await found(await open(t));
    const { seq } = await insert(store, { first_name: "Ada" });
    const many = Array.from({ length: 2_000 }, () => ({}));
    const byMember = { source: "member", actorId: "m", now: NOON + 1 } as const;
    await edit(store, seq, [{ fields: ["first_name", "tags"] }, ...many, byMember]);
    const last = { field: "phone", source: "member", actorId: "m", at: NOON + 1 } as const;
    const first = { field: "first_name", source: "import", actorId: "i", at: NOON } as const;
    assert.deepEqual(await store.read(W1).brain.origins(seq), [first, last, { ...first, field: "tags" }]);
    assert.deepEqual(await store.read(W2).brain.origins(seq), []);
  });

  test("an account's contacts are counted by stage and ordered by their last update, without archived ones", async (t) => {
    const store = await found(await open(t));
    const account = idOf(1);
    await makeAccount(store, account);
    const add = async (email: string, now: number, more = {}) => {
      const record = await insert(store, { email });
      return { seq: record.seq, contact: await update(store, record, { accountId: account, now, ...more }) };
    };
    const lead = await add("Lead@x.example", NOON + 2, { lifecycle: "lead" });
    const first = await add("a@x.example", NOON + 1);
    const gone = await add("b@x.example", NOON + 3);
    const twin = await add("c@x.example", NOON + 1);
    await archive(store, gone.contact.id);
    await insert(store, { first_name: "Elsewhere" });
    const contacts = await store.read(W1).brain.accountContacts(account);
    assert.deepEqual([contacts.byStage.lead, contacts.byStage.prospect, contacts.byStage.customer], [1, 2, 0]);
    assert.deepEqual(contacts.recent, [lead.contact, twin.contact, first.contact], "ties go by who was made last");
    assert.deepEqual(new Set(contacts.emailKeys), new Set(["lead@x.example", "a@x.example", "c@x.example"]));
    assert.deepEqual(new Set(contacts.ids), new Set([lead, first, twin].map(({ contact }) => contact.id)));
    const foreign = await store.read(W2).brain.accountContacts(account);
    assert.deepEqual([foreign.byStage.lead, foreign.ids, foreign.recent], [0, [], []]);
  });

  test("open enrollments are counted and listed before finished ones, and addresses ignore case", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { email: "Ada@x.example" });
    const ids: string[] = [];
    for (const [status, enrolledAt] of [
      ["completed", NOON + 5],
      ["active", NOON],
      ["failed", NOON + 1],
    ] as const) {
      const { id: sequenceId } = await addSequence(store, { name: status });
      const approvalId = (await approve(store, sequenceId, [])) as string;
      const of = { id: newId(), sequenceId, contactId: contact.id, approvalId, status, enrolledAt };
      const at = {
        heldReason: null,
        heldDetail: null,
        postponedReason: null,
        currentStep: 0,
        dueAt: null,
        endedAt: null,
        endedReason: null,
      };
      await store.write(W1, ({ enrollments }) => enrollments.insert({ ...of, ...at }));
      ids.push(of.id);
    }
    const { brain } = store.read(W1);
    const listed = await brain.enrollments([contact.id]);
    assert.deepEqual(
      listed.map(({ id }) => id),
      [ids[1], ids[0], ids[2]],
    );
    assert.deepEqual([listed[0]?.sequenceName, listed[0]?.sequenceStatus], ["active", "draft"]);
    const entry = { id: newId(), email: "ada@x.example", reason: "r", source: "engine", createdAt: NOON } as const;
    await store.write(W1, ({ suppressions }) => suppressions.upsert({ ...entry, stated: true }));
    assert.deepEqual(await brain.suppression("ADA@x.example"), entry);
    assert.equal(await brain.countSuppressed(["ada@x.example", "b@x.example"]), 1);
    const other = store.read(W2).brain;
    assert.deepEqual(await other.enrollments([contact.id]), []);
    assert.deepEqual(
      [await other.suppression("ada@x.example"), await other.countSuppressed([entry.email])],
      [undefined, 0],
    );
  });

  test("another workspace's data about a contact is not in a view", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    await note(store, contact.id);
    await deal(store, contact.id, "proposal", NOON);
    await assess(store, contact.id, NOON, NOON);
    const meeting = { id: newId(), contactId: contact.id, activityId: null, heldOn: null, note: null };
    const rest = { confirmedBy: null, confirmedAt: null, createdAt: NOON };
    await store.write(W1, ({ meetings }) => meetings.insert({ ...meeting, ...rest }));
    const mine = store.read(W1).brain;
    const other = store.read(W2).brain;
    assert.deepEqual(await mine.meetings(contact.id), [{ ...meeting, ...rest }]);
    assert.deepEqual([await other.activities([contact.id]), await other.deals([contact.id])], [[], []]);
    assert.deepEqual(await other.meetings(contact.id), []);
    assert.deepEqual(await other.bant(contact.id), { confirmed: null, unconfirmed: null });
  });
}
