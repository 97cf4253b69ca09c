import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Step } from "../../../src/domain/outreach/sequence.ts";
import type { SequenceRow } from "../../../src/store/outreach.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, EVERYTHING, found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";

const STEPS: Step[] = [{ type: "email", subject: "é 💥 \"'", body: "b\n", delay_days: 1 }];
const ALL = { limit: 100, offset: 0 };

let made = 0x30_0000;
const newId = () => idOf(made++);

export async function addSequence(store: Store, changes: Partial<SequenceRow> = {}, workspaceId = W1) {
  const row: SequenceRow = {
    id: newId(),
    name: "n",
    description: null,
    status: "draft",
    steps: STEPS,
    socialnetAccountId: null,
    delivery: "send",
    stepsHash: "h1",
    createdAt: NOON,
    updatedAt: NOON,
    ...changes,
  };
  await store.write(workspaceId, ({ sequences }) => sequences.insert(row));
  return row;
}

/** Returns the new approval's id, or undefined if refused. */
export async function approve(store: Store, sequenceId: string, audience: [string, string][], more = {}) {
  const id = newId();
  const approval = {
    id,
    sequenceId,
    stepsHash: "h1",
    approvedBy: "m",
    now: NOON,
    audience: new Map(audience),
    ...more,
  };
  return (await store.write(W1, ({ approvals }) => approvals.insert(approval))) ? id : undefined;
}

async function apply(store: Store, id: string, now = NOON + 1, workspaceId = W1): Promise<boolean> {
  return store.write(workspaceId, ({ approvals }) => approvals.apply(id, "a", now));
}

export function sequencesConform(open: OpenStore): void {
  test("active sequences with emails are counted by where these go, in their workspace", async (t) => {
    const store = await found(await open(t));
    const quoted: Step[] = [{ type: "socialnet_message", body: '"type":"email"', delay_days: 0 }];
    await addSequence(store);
    await addSequence(store, { status: "active", delivery: "files" });
    await addSequence(store, { status: "active" }, W2);
    await addSequence(store, { status: "active", steps: quoted });
    assert.deepEqual(await store.read(W1).sequences.emailing(), { send: 0, files: 1 });
    assert.deepEqual(await store.read(W2).sequences.emailing(), { send: 1, files: 0 });
  });

  test("an approval pins each contact's company unless it is invisible", async (t) => {
    const store = await found(await open(t));
    const { id } = await addSequence(store);
    const seen = (await insert(store, { email: "a@x.example", company: "Acme" })).contact.id;
    const unseen = (await insert(store, { email: "b@x.example", company: "\u3164" })).contact.id;
    const audience: [string, string][] = [
      [seen, "c"],
      [unseen, "c"],
    ];
    const approval = (await approve(store, id, audience, { withoutCompany: [unseen] })) as string;
    assert.ok(await apply(store, approval));
    const pinned = async (contactId: string, company: string) =>
      (await store.read(W1).approvals.covering({ sequenceId: id, stepsHash: "h1", contactId, copyHash: "c", company }))
        ?.company;
    assert.deepEqual([await pinned(seen, "Acme"), await pinned(unseen, "\u3164")], ["Acme", null]);
  });

  test("a sequence reads back as written, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = await addSequence(store, { description: "d" });
    assert.deepEqual(await store.read(W1).sequences.find(row.id), row);
    assert.equal(await store.read(W2).sequences.find(row.id), undefined);
    const patch = { name: "x", now: NOON };
    assert.equal(await store.write(W2, ({ sequences }) => sequences.update(row.id, patch)), undefined);
    assert.deepEqual(await store.read(W1).sequences.find(row.id), row);
  });

  test("a patch of a sequence changes only its fields, and the time", async (t) => {
    const store = await found(await open(t));
    const row = await addSequence(store, { description: "d" });
    const update = (patch: object) =>
      store.write(W1, ({ sequences }) => sequences.update(row.id, { ...patch, now: NOON + 1 }));
    const steps: Step[] = [{ type: "wait", days: 2 }];
    const patches = [{ name: "x" }, { description: null }, { status: "active" }, { steps, stepsHash: "h2" }];
    for (const patch of patches) await update(patch);
    const changed = { name: "x", description: null, status: "active", steps, stepsHash: "h2", updatedAt: NOON + 1 };
    assert.deepEqual(await store.read(W1).sequences.find(row.id), { ...row, ...changed });
    assert.deepEqual(await update({}), { ...row, ...changed });
  });

  test("sequences are listed by creation, newest first, whatever their times", async (t) => {
    const store = await found(await open(t));
    const rows: SequenceRow[] = [];
    for (const createdAt of [NOON + 5, NOON, NOON + 9]) rows.unshift(await addSequence(store, { createdAt }));
    await addSequence(store, {}, W2);
    const listed = rows.map(({ steps: _, stepsHash: __, socialnetAccountId: ___, ...summary }) => summary);
    assert.deepEqual(await store.read(W1).sequences.list(ALL), { rows: listed, total: 3 });
    assert.deepEqual(await store.read(W1).sequences.list({ limit: 1, offset: 1 }), { rows: [listed[1]], total: 3 });
  });

  test("the recipients among given ids are the workspace's live contacts, with the data for their copy", async (t) => {
    const store = await found(await open(t));
    const { contact: ada } = await insert(store, EVERYTHING);
    const { contact: bare } = await insert(store, { first_name: "Bare" });
    const { contact: gone } = await insert(store, { first_name: "Gone" });
    const { contact: foreign } = await insert(store, { first_name: "Foreign" }, { workspaceId: W2 });
    await archive(store, gone.id);
    const asked = [ada, bare, gone, foreign].map(({ id }) => id);
    const recipients = await store.read(W1).approvals.recipients([...asked, idOf(1), "'; --"]);
    const wanted = [ada, bare].map(({ id, email, socialnet_url, first_name, last_name, company, job_title }) => {
      const row = { id, email, socialnet_url, first_name, last_name, company, job_title };
      // Without its own source, a value came with its contact, over the API.
      const agentWrote = Object.entries(row).flatMap(([field, value]) =>
        field === "id" || value === null ? [] : [field],
      );
      return { ...row, agentWrote, companySource: null };
    });
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    assert.deepEqual(recipients.sort(byId), wanted.sort(byId));
    assert.deepEqual(await store.read(W1).approvals.recipients([]), []);
  });

  test("an approval is accepted for the current steps, with its audience, and refused for others", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const { contact } = await insert(store, { first_name: "Ada" });
    assert.equal(await approve(store, sequenceId, [[contact.id, "c1"]], { stepsHash: "h0" }), undefined);
    const { id: foreign } = await addSequence(store, {}, W2);
    assert.equal(await approve(store, foreign, [[contact.id, "c1"]]), undefined);
    const id = (await approve(store, sequenceId, [[contact.id, "c1"]])) as string;
    const row = {
      id,
      sequenceId,
      stepsHash: "h1",
      status: "approved",
      contactCount: 1,
      approvedBy: "m",
      approvedAt: NOON,
      appliedBy: null,
      appliedAt: null,
      voidedAt: null,
    };
    assert.deepEqual(await store.read(W1).approvals.find(id), row);
    assert.equal(await store.read(W2).approvals.find(id), undefined);
    const later = (await approve(store, sequenceId, [], { now: NOON + 1 })) as string;
    const newest = async (limit: number) =>
      (await store.read(W1).approvals.newest(sequenceId, limit)).map((each) => [each.id, each.contactCount]);
    assert.deepEqual(await newest(5), [
      [later, 0],
      [id, 1],
    ]);
    assert.deepEqual(await newest(1), [[later, 0]]);
    assert.deepEqual(await store.read(W2).approvals.newest(sequenceId, 5), []);
  });

  test("an approval is activated once, by its workspace, while the steps are as approved", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const id = (await approve(store, sequenceId, [])) as string;
    const rewrite = (stepsHash: string) =>
      store.write(W1, ({ sequences }) => sequences.update(sequenceId, { steps: STEPS, stepsHash, now: NOON }));
    assert.equal(await apply(store, id, NOON, W2), false);
    await rewrite("h2");
    assert.equal(await apply(store, id), false);
    await rewrite("h1");
    assert.equal(await store.read(W1).approvals.anyApplied(sequenceId, "h1"), false, "approved is not applied");
    assert.equal(await apply(store, id), true);
    assert.equal(await apply(store, id, NOON + 2), false);
    const row = await store.read(W1).approvals.find(id);
    assert.deepEqual([row?.status, row?.appliedBy, row?.appliedAt], ["applied", "a", NOON + 1]);
    const any = (hash: string, workspaceId = W1) => store.read(workspaceId).approvals.anyApplied(sequenceId, hash);
    assert.deepEqual([await any("h1"), await any("h2"), await any("h1", W2)], [true, false, false]);
  });

  test("a part of an audience is activated as its own approval, by its workspace, and the rest stays pending", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const contacts = [];
    for (const first_name of ["Ada", "Bob", "Eve"]) contacts.push((await insert(store, { first_name })).contact.id);
    const [ada, bob, eve] = contacts as [string, string, string];
    const id = (await approve(
      store,
      sequenceId,
      contacts.map((contact) => [contact, `c-${contact}`]),
    )) as string;
    const partId = newId();
    const applyPart = (contactIds: string[], workspaceId = W1) =>
      store.write(workspaceId, ({ approvals }) =>
        approvals.applyPart(id, { partId, contactIds, by: "a", now: NOON + 3 }),
      );
    assert.equal(await applyPart([ada], W2), false);
    assert.equal(await applyPart([ada]), true);
    assert.equal(await applyPart([bob]), true, "a second page joins the first");
    const { approvals } = store.read(W1);
    const facts = async (one: string) => {
      const row = await approvals.find(one);
      return [row?.status, row?.contactCount, row?.approvedBy, row?.approvedAt, row?.appliedBy, row?.appliedAt];
    };
    assert.deepEqual(await facts(id), ["approved", 1, "m", NOON, null, null]);
    assert.deepEqual(await facts(partId), ["applied", 2, "m", NOON, "a", NOON + 3]);
    assert.deepEqual(await approvals.audience(id, ALL), [{ contactId: eve, copyHash: `c-${eve}` }]);
    const asked = { sequenceId, stepsHash: "h1", company: null };
    const covering = async (contactId: string) =>
      (await approvals.covering({ ...asked, contactId, copyHash: `c-${contactId}` }))?.id;
    assert.deepEqual([await covering(ada), await covering(bob), await covering(eve)], [partId, partId, undefined]);
    await store.write(W1, ({ sequences }) => sequences.update(sequenceId, { stepsHash: "h2", now: NOON }));
    assert.equal(await applyPart([eve]), false, "the steps are others by now");
    assert.deepEqual(await approvals.audience(id, ALL), [{ contactId: eve, copyHash: `c-${eve}` }]);
    assert.deepEqual(await facts(partId), ["applied", 2, "m", NOON, "a", NOON + 3]);
  });

  test("a part with a contact outside the audience is refused, and nothing is written", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const { contact: ada } = await insert(store, { first_name: "Ada" });
    const { contact: bob } = await insert(store, { first_name: "Bob" });
    const id = (await approve(store, sequenceId, [[ada.id, "c1"]])) as string;
    const part = { partId: newId(), contactIds: [ada.id, bob.id], by: "a", now: NOON };
    assert.equal(await store.write(W1, ({ approvals }) => approvals.applyPart(id, part)), false);
    const { approvals } = store.read(W1);
    assert.deepEqual(await approvals.audience(id, ALL), [{ contactId: ada.id, copyHash: "c1" }]);
    assert.equal(await approvals.find(part.partId), undefined);
    assert.equal((await approvals.find(id))?.contactCount, 1);
  });

  test("the part of an audience says which given contacts are in it, and whether other live ones are too", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const contacts = [];
    for (const first_name of ["Ada", "Bob", "Eve"]) contacts.push((await insert(store, { first_name })).contact.id);
    const [ada, bob, eve] = contacts as [string, string, string];
    const id = (await approve(store, sequenceId, [
      [ada, "c1"],
      [bob, "c2"],
    ])) as string;
    const partOf = (contactIds: string[], workspaceId = W1) => store.read(workspaceId).approvals.partOf(id, contactIds);
    assert.deepEqual(await partOf([ada]), { found: [{ contactId: ada, copyHash: "c1" }], isWhole: false });
    assert.deepEqual(
      await partOf([ada, eve]),
      { found: [{ contactId: ada, copyHash: "c1" }], isWhole: false },
      "one is in no audience",
    );
    const whole = await partOf([bob, ada]);
    assert.deepEqual([whole.found.map(({ copyHash }) => copyHash).sort(), whole.isWhole], [["c1", "c2"], true]);
    assert.deepEqual(await partOf([]), { found: [], isWhole: false });
    await archive(store, bob);
    assert.deepEqual(
      await partOf([ada]),
      { found: [{ contactId: ada, copyHash: "c1" }], isWhole: true },
      "an archived contact is not left",
    );
    assert.deepEqual((await partOf([ada], W2)).found, []);
  });

  test("a newer activated approval replaces earlier ones, also those that were spent, and names whom it replaces", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const { id: otherSequence } = await addSequence(store, { name: "Other" });
    const [ada, bob] = [await insert(store, { first_name: "Ada" }), await insert(store, { first_name: "Bob" })];
    const contacts: [string, string][] = [ada, bob].map(({ contact }) => [contact.id, "c1"]);
    const [first = ["", ""]] = contacts;
    const earlier = (await approve(store, sequenceId, [first])) as string;
    const elsewhere = (await approve(store, otherSequence, contacts)) as string;
    for (const id of [earlier, elsewhere]) await apply(store, id);
    const spentAt = NOON + 2;
    await store.write(W1, ({ approvals }) => approvals.spendGivenBy(first[0], NOON + 1, spentAt));
    const newer = (await approve(store, sequenceId, contacts, { now: NOON + 3 })) as string;
    const replacing = (id: string, workspaceId = W1) => store.read(workspaceId).approvals.replacing(id);
    await apply(store, newer, NOON + 4);
    assert.deepEqual([await replacing(newer), await replacing(newer, W2)], [[first[0]], []]);
    await store.write(W1, ({ approvals }) => approvals.restore(earlier, first[0], spentAt));
    assert.notEqual(await store.read(W1).approvals.spentAt(earlier, first[0]), null);
    await store.write(W1, ({ approvals }) => approvals.restore(elsewhere, first[0], spentAt));
    assert.equal(await store.read(W1).approvals.spentAt(elsewhere, first[0]), null, "of another sequence");
  });

  test("voiding ends approved and activated approvals of one sequence, and nothing restores them", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const { id: other } = await addSequence(store);
    const ids = [await approve(store, sequenceId, []), await approve(store, sequenceId, [])] as string[];
    const kept = (await approve(store, other, [])) as string;
    await apply(store, ids[0] as string);
    const voidAll = (workspaceId: string) =>
      store.write(workspaceId, ({ approvals }) => approvals.voidAll(sequenceId, NOON + 9));
    assert.deepEqual(await voidAll(W2), []);
    assert.deepEqual((await voidAll(W1)).sort(), ids.sort());
    assert.deepEqual(await voidAll(W1), []);
    for (const id of ids) {
      assert.equal(await apply(store, id), false);
      const row = await store.read(W1).approvals.find(id);
      assert.deepEqual([row?.status, row?.voidedAt], ["voided", NOON + 9]);
    }
    assert.equal((await store.read(W1).approvals.find(kept))?.status, "approved");
    assert.equal(await store.read(W1).approvals.anyApplied(sequenceId, "h1"), false);
  });

  test("a contact is covered by the approval activated last, and by no earlier one", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const { contact } = await insert(store, { first_name: "Ada" });
    const asked = { sequenceId, stepsHash: "h1", contactId: contact.id, company: null };
    const covering = (copyHash: string, more = {}, workspaceId = W1) =>
      store.read(workspaceId).approvals.covering({ ...asked, copyHash, ...more });
    const first = (await approve(store, sequenceId, [[contact.id, "c1"]])) as string;
    assert.equal(await covering("c1"), undefined, "approved is not applied");
    const second = (await approve(store, sequenceId, [[contact.id, "c2"]])) as string;
    await approve(store, sequenceId, [[contact.id, "c3"]]);
    await apply(store, first, NOON + 1);
    assert.deepEqual(await covering("c1"), { id: first, copyHash: "c1", company: null });
    await apply(store, second, NOON + 2);
    for (const hash of ["c1", "c2", "c3", "c4"])
      assert.deepEqual(await covering(hash), { id: second, copyHash: "c2", company: null });
    await store.write(W1, ({ approvals }) => approvals.spend(contact.id, NOON + 3));
    assert.equal((await covering("c2"))?.copyHash, "", "spent, it pins nothing");
    assert.equal(await covering("c1", { stepsHash: "h2" }), undefined);
    assert.equal(await covering("c1", { contactId: idOf(1) }), undefined);
    assert.equal(await covering("c1", {}, W2), undefined);
  });

  test("a contact's approvals given up to a time are used up, activated or not", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const { contact: other } = await insert(store, { first_name: "Other" });
    const pins = async (at: number, isApplied: boolean) => {
      const { id: sequenceId } = await addSequence(store);
      const audience: [string, string][] = [contact.id, other.id].map((id) => [id, "c"]);
      const id = (await approve(store, sequenceId, audience, { now: at })) as string;
      if (isApplied) await apply(store, id, at);
      return async () => {
        if (!isApplied) await apply(store, id, NOON + 9);
        const asked = { sequenceId, stepsHash: "h1", copyHash: "c", company: null };
        const of = async (contactId: string) =>
          (await store.read(W1).approvals.covering({ ...asked, contactId }))?.copyHash;
        return [await of(contact.id), await of(other.id)];
      };
    };
    const given = [await pins(NOON, true), await pins(NOON, false), await pins(NOON + 2, true)];
    const spend = (workspaceId: string) =>
      store.write(workspaceId, ({ approvals }) => approvals.spendGivenBy(contact.id, NOON + 1, NOON + 3));
    assert.deepEqual([await spend(W2), await spend(W1), await spend(W1)], [0, 2, 0]);
    const pinned: unknown[] = [];
    for (const look of given) pinned.push(await look());
    assert.deepEqual(pinned, [
      ["", "c"],
      ["", "c"],
      ["c", "c"],
    ]);
  });

  test("any steps read back the same", async (t) => {
    const store = await found(await open(t));
    const text = fc.string({ unit: "grapheme" }).map((given) => given.replaceAll("\0", ""));
    const email = { type: fc.constant("email" as const), subject: text, body: text, delay_days: fc.nat(365) };
    const step = fc.record(email, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const { id } = await addSequence(store, { steps });
        assert.deepEqual(
          await store
            .read(W1)
            .sequences.find(id)
            .then((row) => row?.steps),
          steps,
        );
      }),
      { numRuns: 50 },
    );
  });
}
