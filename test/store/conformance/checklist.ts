import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Checklist, MarkRow, NewCard, NewMark, NewPost } from "../../../src/store/checklist.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, keyRow, NOON, W1, W2 } from "./fixtures.ts";

const ALL = { limit: 100, offset: 0 };

const MARK: NewMark = {
  itemId: "ON-01",
  status: "done",
  evidence: "é 💥",
  doneOn: "2026-11-20",
  byId: "k1",
  byName: "watcher",
  updatedAt: NOON,
};
const BY_MEMBER: NewMark = { ...MARK, status: "blocked", byId: "m1", byName: "Grace" };
const SEEN: NewMark = { ...MARK, evidence: "seen", doneOn: null, byId: null, byName: "Rostrum" };

/** The stored mark. */
function read({ doneOn: _, ...mark }: NewMark, source: MarkRow["source"]): MarkRow {
  return { ...mark, source };
}

let made = 0x40_0000;
const stamp = () => ({
  id: idOf(made++),
  itemId: "OT-01",
  body: "b",
  submittedById: "k1",
  submittedByName: "writer",
  submittedAt: NOON,
});

export function addCard(store: Store, changes: Partial<NewCard> = {}, workspaceId = W1) {
  return store.write(workspaceId, ({ cards }) => cards.insert({ ...stamp(), title: "t", summary: null, ...changes }));
}

export function addPost(store: Store, changes: Partial<NewPost> = {}, workspaceId = W1) {
  const post = { ...stamp(), channel: null, title: null, suggestedFor: null, ...changes };
  return store.write(workspaceId, ({ posts }) => posts.insert(post));
}

const ENDED = { channel: null, url: null };
const DECIDING = { byId: "m1", byName: "Grace", now: NOON + 1, note: "n" };

export function checklistConforms(open: OpenStore): void {
  const ready = async (t: Parameters<OpenStore>[0]) => {
    const store = await found(await open(t));
    const write = <T>(job: (checklist: Checklist) => Promise<T>, workspaceId = W1) =>
      store.write(workspaceId, ({ checklist }) => job(checklist));
    return { store, write, checklist: store.read(W1).checklist };
  };

  test("an agent's mark is created once and updated after, and its latest day stays", async (t) => {
    const { store, write, checklist } = await ready(t);
    const record = (changes: Partial<NewMark>) => write((to) => to.recordEvidence({ ...MARK, ...changes }));
    const lastDoneOn = () => checklist.lastDoneOn("ON-01");
    assert.deepEqual(await record({}), { created: true });
    assert.deepEqual(await checklist.mark("ON-01"), read(MARK, "agent"));
    const changes = { status: "in_progress", doneOn: null, byId: "k2", updatedAt: NOON + 1 } as const;
    assert.deepEqual(await record(changes), { created: false });
    assert.deepEqual(await checklist.mark("ON-01"), read({ ...MARK, ...changes }, "agent"));
    assert.equal(await lastDoneOn(), "2026-11-20");
    await record({ doneOn: "2026-11-01" });
    assert.equal(await lastDoneOn(), "2026-11-20");
    await record({ doneOn: "2026-12-01" });
    assert.equal(await lastDoneOn(), "2026-12-01");
    await record({ itemId: "ON-02", doneOn: null });
    assert.equal(await checklist.lastDoneOn("ON-02"), null);
    assert.deepEqual(await checklist.days(), [{ itemId: "ON-01", lastDoneOn: "2026-12-01" }]);
    assert.equal((await checklist.marks()).length, 2);
    const { checklist: other } = store.read(W2);
    assert.deepEqual([await other.marks(), await other.days(), await other.lastDoneOn("ON-01")], [[], [], null]);
  });

  test("an agent's mark never replaces that of a person or the server", async (t) => {
    const { write, checklist } = await ready(t);
    const evidence = () => write((to) => to.recordEvidence({ ...MARK, evidence: "late", doneOn: "2026-12-24" }));
    await write((to) => to.setMark(BY_MEMBER));
    assert.equal(await evidence(), undefined);
    assert.deepEqual(await checklist.mark("ON-01"), read(BY_MEMBER, "member"));
    await write((to) => to.removeMark("ON-01"));
    await write((to) => to.recordDetection(MARK));
    assert.equal(await evidence(), undefined);
    assert.deepEqual(await checklist.mark("ON-01"), read(MARK, "system"));
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-20");
  });

  test("the service's mark overrides an agent's, which applies again once the service sees nothing", async (t) => {
    const { store, write, checklist } = await ready(t);
    await write((to) => to.recordEvidence({ ...MARK, doneOn: "2026-11-01" }));
    await write((to) => to.recordDetection({ ...SEEN, doneOn: "2026-11-20" }));
    await write((to) => to.recordDetection({ ...SEEN, itemId: "ON-02" }));
    await store.write(W2, ({ checklist: to }) => to.recordDetection(SEEN));
    assert.deepEqual(await checklist.mark("ON-01"), read(SEEN, "system"));
    assert.deepEqual((await checklist.marks()).map(({ itemId, source }) => [itemId, source]).sort(), [
      ["ON-01", "system"],
      ["ON-02", "system"],
    ]);
    await write((to) => to.keepDetections(["ON-02", "ON-03"]));
    assert.deepEqual(await checklist.mark("ON-01"), read(MARK, "agent"));
    assert.ok(await checklist.mark("ON-02"));
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-20", "what was done stays done");
    await write((to) => to.keepDetections([]));
    assert.equal(await checklist.mark("ON-02"), undefined);
    assert.ok(await store.read(W2).checklist.mark("ON-01"), "another workspace's");
  });

  test("a person's mark replaces any other, keeps the day or sets its own, and the server's never replaces it", async (t) => {
    const { write, checklist } = await ready(t);
    await write((to) => to.recordEvidence(MARK));
    await write((to) => to.recordDetection(SEEN));
    await write((to) => to.setMark({ ...BY_MEMBER, doneOn: null }));
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-20");
    await write((to) => to.recordDetection({ ...SEEN, doneOn: "2026-12-24" }));
    await write((to) => to.keepDetections([]));
    assert.deepEqual(await checklist.marks(), [read(BY_MEMBER, "member")]);
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-20");
    await write((to) => to.setMark({ ...BY_MEMBER, doneOn: "2026-11-02" }));
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-02", "a person may know better");
  });

  test("everything recorded about an item is removed together, only in its workspace", async (t) => {
    const { write, checklist } = await ready(t);
    await write((to) => to.recordEvidence(MARK));
    await write((to) => to.recordDetection(SEEN));
    assert.equal(await write((to) => to.removeMark("ON-01"), W2), false);
    assert.equal(await write((to) => to.removeMark("ON-01")), true);
    assert.deepEqual([await checklist.marks(), await checklist.days()], [[], []]);
    assert.equal(await write((to) => to.removeMark("ON-01")), false);
  });

  test("new assessments replace all earlier ones in their workspace", async (t) => {
    const store = await found(await open(t));
    const row = (itemId: string) => ({
      itemId,
      state: "missing" as const,
      reason: "r",
      assessedAt: NOON,
      sources: [{ kind: "check", id: null, label: "é" }],
    });
    const replace = (ids: string[], workspaceId = W1) =>
      store.write(workspaceId, ({ checklist }) => checklist.replaceAssessments(ids.map(row)));
    await replace(["OT-01", "OT-02"]);
    await replace(["OT-01"], W2);
    await replace(["OT-03"]);
    const later = { ...row("OT-03"), state: "done" as const, assessedAt: NOON + 1 };
    await store.write(W1, ({ checklist }) => checklist.saveAssessment(later));
    assert.deepEqual(await store.read(W1).checklist.assessments(), [later]);
    await replace(["OT-03"]);
    assert.deepEqual(await store.read(W1).checklist.assessments(), [row("OT-03")]);
    assert.deepEqual(await store.read(W2).checklist.assessments(), [row("OT-01")]);
  });

  test("an assessment is claimed once per time and catalog, and the longest unassessed workspace comes first", async (t) => {
    const store = await found(await open(t));
    const claim = (id: string, at: number, before: number, catalogVersion = "b") =>
      store.write(id, ({ checklist }) => checklist.claimAssessment({ at, before, catalogVersion }));
    const due = (before: number, version = "b", limit = 10) => store.assessmentsDue(before, version, limit);
    assert.deepEqual([...(await due(0))].sort(), [W1, W2]);
    assert.equal((await due(0, "b", 1)).length, 1);
    assert.deepEqual([await claim(W1, 20, 10), await claim(W1, 20, 10)], [true, false]);
    assert.deepEqual(await due(10), [W2]);
    assert.equal(await claim(W2, 15, 10), true);
    assert.deepEqual([await due(20), await due(14)], [[W2, W1], []]);
    for (const other of ["a", "c"]) assert.deepEqual(await due(0, other), [W2, W1], other);
    assert.deepEqual([await claim(W1, 16, 10, "a"), await claim(W1, 16, 10, "a")], [true, false]);
    assert.deepEqual([await due(0), await due(20)], [[W1], [W1, W2]]);
    assert.deepEqual(await due(0, "a"), [W2]);
    await store.write(W1, ({ checklist }) => checklist.noteAssessment({ at: 5, catalogVersion: "b" }));
    assert.deepEqual(await due(5), [W1], "a clock that was ahead leaves nothing behind");
  });

  test("one card per item can need review, independent of other items and workspaces", async (t) => {
    const store = await found(await open(t));
    const card = await addCard(store, { body: "a\r\nb\u202E 💥", summary: "s" });
    assert.ok(card);
    assert.deepEqual(await store.read(W1).cards.find(card.id), card);
    assert.deepEqual([card.status, card.body, card.redoOf, card.decidedAt], ["pending", "a\r\nb\u202E 💥", null, null]);
    assert.equal(await addCard(store), undefined);
    assert.ok(await addCard(store, { itemId: "OT-02" }));
    assert.ok(await addCard(store, {}, W2));
    assert.equal(await store.read(W2).cards.find(card.id), undefined);
    await store.write(W1, ({ cards }) => cards.decide(card.id, "approved", DECIDING));
    assert.ok(await addCard(store));
  });

  test("a card is decided once, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const card = await addCard(store);
    assert.ok(card);
    const decide = (workspaceId: string, to: "approved" | "denied") =>
      store.write(workspaceId, ({ cards }) => cards.decide(card.id, to, DECIDING));
    assert.equal(await decide(W2, "approved"), undefined);
    const decided = { decidedById: "m1", decidedByName: "Grace", decidedAt: NOON + 1, note: "n" };
    assert.deepEqual(await decide(W1, "denied"), { ...card, status: "denied", ...decided });
    assert.equal(await decide(W1, "approved"), undefined);
  });

  test("a card or post is the redo of the item's latest if changes were requested", async (t) => {
    const store = await found(await open(t));
    const card = await addCard(store);
    const post = await addPost(store, { itemId: "ON-01" });
    assert.ok(card && post);
    await store.write(W1, ({ cards }) => cards.decide(card.id, "change_requested", DECIDING));
    await store.write(W1, ({ posts }) =>
      posts.decide(post.id, "changes_requested", { ...DECIDING, scheduledFor: null }),
    );
    assert.equal((await addCard(store, { itemId: "OT-02" }))?.redoOf, null);
    assert.equal((await addCard(store, {}, W2))?.redoOf, null);
    assert.equal((await addCard(store))?.redoOf, card.id);
    assert.equal((await addPost(store, { itemId: "ON-01" }))?.redoOf, post.id);
    assert.equal((await addPost(store, { itemId: "ON-01" }))?.redoOf, null, "the latest waits for its review");
  });

  test("a post replaces the item's latest one with requested changes, whatever was submitted since", async (t) => {
    const store = await found(await open(t));
    const posts = [await addPost(store), await addPost(store), await addPost(store)].map((post) => post?.id ?? "");
    const [first, second] = posts as [string, string, string];
    const elsewhere = await addPost(store, { itemId: "OT-02" });
    const sendBack = (id: string) =>
      store.write(W1, ({ posts }) => posts.decide(id, "changes_requested", { ...DECIDING, scheduledFor: null }));
    for (const id of [first, second, elsewhere?.id ?? ""]) await sendBack(id);
    assert.equal((await addPost(store, {}, W2))?.redoOf, null);
    const redone = await addPost(store);
    assert.equal(redone?.redoOf, second);
    assert.equal((await addPost(store))?.redoOf, first);
    assert.equal((await addPost(store))?.redoOf, null);
    await sendBack(redone?.id ?? "");
    assert.equal((await addPost(store))?.redoOf, redone?.id);
  });

  test("the latest card of each item is found, without its body", async (t) => {
    const store = await found(await open(t));
    const first = await addCard(store);
    await store.write(W1, ({ cards }) => cards.decide(first?.id ?? "", "denied", DECIDING));
    const second = await addCard(store);
    const other = await addCard(store, { itemId: "OT-02" });
    await addCard(store, { itemId: "OT-03" }, W2);
    const latest = await store.read(W1).cards.latest(["OT-01", "OT-02", "OT-03", "'; --"]);
    assert.deepEqual(latest.map(({ id }) => id).sort(), [second?.id, other?.id].sort());
    assert.ok(latest.every((head) => !("body" in head)));
    assert.deepEqual(await store.read(W1).cards.latest([]), []);
  });

  test("a card whose approval was withdrawn is its item's latest while it needs review", async (t) => {
    const store = await found(await open(t));
    const first = await addCard(store);
    await store.write(W1, ({ cards }) => cards.decide(first?.id ?? "", "approved", DECIDING));
    const second = await addCard(store);
    await store.write(W1, ({ cards }) => cards.decide(second?.id ?? "", "denied", DECIDING));
    const latest = async () => (await store.read(W1).cards.latest(["OT-01"])).map(({ id }) => id);
    assert.deepEqual(await latest(), [second?.id]);
    await store.write(W1, ({ cards }) => cards.withdraw(first?.id ?? ""));
    assert.deepEqual(await latest(), [first?.id]);
  });

  test("an item's earlier record is fully restored, only in its own workspace", async (t) => {
    const { store, write, checklist } = await ready(t);
    await write((to) => to.recordEvidence(MARK));
    await write((to) => to.recordDetection(SEEN));
    const marks = await checklist.marksOf("ON-01");
    assert.deepEqual(marks.map(({ source }) => source).sort(), ["agent", "system"]);
    await write((to) => to.setMark({ ...BY_MEMBER, doneOn: "2026-11-22" }));
    assert.equal((await checklist.marksOf("ON-01")).length, 1);
    await write((to) => to.restore("ON-01", { marks, lastDoneOn: "2026-11-20" }));
    assert.deepEqual(await checklist.marksOf("ON-01"), marks);
    assert.deepEqual(await checklist.mark("ON-01"), read(SEEN, "system"));
    assert.equal(await checklist.lastDoneOn("ON-01"), "2026-11-20");
    await write((to) => to.restore("ON-01", { marks: [], lastDoneOn: null }), W2);
    assert.deepEqual(await checklist.marksOf("ON-01"), marks);
    await write((to) => to.restore("ON-01", { marks: [], lastDoneOn: null }));
    assert.deepEqual([await checklist.marksOf("ON-01"), await checklist.days()], [[], []]);
    assert.deepEqual(await store.read(W2).checklist.marksOf("ON-01"), []);
  });

  test("no post is accepted while a card of its item needs review", async (t) => {
    const store = await found(await open(t));
    const card = await addCard(store);
    assert.equal(await addPost(store), undefined);
    assert.ok(await addPost(store, { itemId: "OT-02" }));
    assert.ok(await addPost(store, {}, W2));
    await store.write(W1, ({ cards }) => cards.decide(card?.id ?? "", "denied", DECIDING));
    const post = await addPost(store, { channel: "x", title: "t", suggestedFor: NOON + 5 });
    assert.deepEqual(await store.read(W1).posts.find(post?.id ?? ""), post);
    assert.deepEqual([post?.status, post?.channel, post?.suggestedFor], ["needs_review", "x", NOON + 5]);
  });

  test("a post is decided once and then finished once, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const post = await addPost(store);
    assert.ok(post);
    const decide = (workspaceId: string, to: "approved" | "declined") =>
      store.write(workspaceId, ({ posts }) => posts.decide(post.id, to, { ...DECIDING, scheduledFor: NOON + 9 }));
    const end = (workspaceId: string, to: "published" | "cancelled") =>
      store.write(workspaceId, ({ posts }) => posts.end(post.id, to, { ...ENDED, at: NOON + 20 }));
    assert.equal(await end(W1, "published"), undefined);
    assert.equal(await decide(W2, "approved"), undefined);
    assert.equal((await decide(W1, "approved"))?.scheduledFor, NOON + 9);
    assert.equal(await decide(W1, "declined"), undefined);
    assert.equal(await end(W2, "published"), undefined);
    const ended = await end(W1, "published");
    assert.deepEqual([ended?.status, ended?.endedAt], ["published", NOON + 20]);
    assert.equal(await end(W1, "cancelled"), undefined);
  });

  test("cards and posts are listed by newest submission, filtered, with exact totals", async (t) => {
    const store = await found(await open(t));
    const ids: (string | undefined)[] = [];
    for (const [i, itemId] of ["OT-01", "OT-02", "OT-01"].entries()) {
      ids.unshift((await addPost(store, { itemId, submittedAt: NOON - i }))?.id);
    }
    await addPost(store, {}, W2);
    const listed = async (filter: object, page = ALL) => {
      const { rows, total } = await store.read(W1).posts.list(filter, page);
      return [rows.map(({ id }) => id), total];
    };
    assert.deepEqual(await listed({}), [ids, 3]);
    assert.deepEqual(await listed({ itemId: "OT-01" }), [[ids[0], ids[2]], 2]);
    assert.deepEqual(await listed({ status: "approved" }), [[], 0]);
    assert.deepEqual(await listed({ status: "needs_review", itemId: "OT-02" }), [[ids[1]], 1]);
    assert.deepEqual(await listed({}, { limit: 1, offset: 2 }), [[ids[2]], 3]);
    assert.deepEqual(
      (await store.read(W1).posts.newest(2)).map(({ id }) => id),
      ids.slice(0, 2),
    );
    const card = await addCard(store, { itemId: "OT-09" });
    const cards = await store.read(W1).cards.list({ status: "pending", itemId: "OT-09" }, ALL);
    assert.deepEqual(cards, { rows: [card], total: 1 });
    assert.deepEqual(await store.read(W2).cards.list({}, ALL), { rows: [], total: 0 });
  });

  test("voice, facts and connections read back as last saved, only in their own workspace", async (t) => {
    const store = await found(await open(t));
    const by = (savedAt: number) => ({ savedBy: "Grace", savedAt });
    const text = fc.string({ unit: "grapheme" }).map((given) => given.replaceAll("\0", ""));
    await fc.assert(
      fc.asyncProperty(text, fc.array(text), fc.option(text), async (voice, facts, handle) => {
        await store.write(W1, async ({ voice: saved }) => {
          await saved.saveBrandVoice({ text: voice, ...by(NOON) });
          await saved.saveProfileFacts({ facts, ...by(NOON) });
          await saved.saveSocialConnection({ channel: "x", state: "connected", handle, ...by(NOON) });
        });
        const { voice: read } = store.read(W1);
        assert.deepEqual(await read.brandVoice(), { text: voice, ...by(NOON) });
        assert.deepEqual(await read.profileFacts(), { facts, ...by(NOON) });
        assert.deepEqual(await read.socialConnections(), [{ channel: "x", state: "connected", handle, ...by(NOON) }]);
      }),
      { numRuns: 20 },
    );
    const { voice } = store.read(W2);
    assert.deepEqual(
      [await voice.brandVoice(), await voice.profileFacts(), await voice.socialConnections()],
      [undefined, undefined, []],
    );
  });

  test("checks count only within the workspace and the time", async (t) => {
    const store = await found(await open(t));
    const { workspaceFacts } = store.read(W1);
    await store.write(W1, async ({ keys }) => {
      await keys.insert(keyRow({ name: "idle", createdAt: NOON - 100 }), Buffer.from("a"));
      await keys.insert(keyRow({ name: "new", createdAt: NOON }), Buffer.from("b"));
      await keys.insert(keyRow({ name: "used", createdAt: NOON - 100, lastUsedAt: NOON }), Buffer.from("c"));
      await keys.insert(keyRow({ name: "gone", createdAt: NOON - 100, revokedAt: NOON }), Buffer.from("d"));
      await keys.insert(keyRow({ name: "over", createdAt: NOON - 100, expiresAt: NOON }), Buffer.from("e"));
    });
    const { live, idle } = await workspaceFacts.keys(NOON, NOON);
    assert.deepEqual([live, idle.map(({ name }) => name)], [3, ["idle"]]);
    assert.deepEqual(await store.read(W2).workspaceFacts.keys(NOON, NOON), { live: 0, idle: [] });

    assert.equal(await workspaceFacts.waitingSince(), null);
    await addCard(store, { submittedAt: NOON + 5 });
    assert.equal(await workspaceFacts.waitingSince(), NOON + 5);
    const post = await addPost(store, { itemId: "ON-01", channel: "x", submittedAt: NOON + 3 });
    assert.equal(await workspaceFacts.waitingSince(), NOON + 3);
    const id = post?.id ?? "";
    await store.write(W1, ({ posts }) => posts.decide(id, "approved", { ...DECIDING, scheduledFor: NOON + 50 }));
    const scheduled = (from: number, to: number) => workspaceFacts.scheduled(from, to);
    assert.deepEqual([await scheduled(NOON, NOON + 49), await scheduled(NOON + 50, NOON + 50)], [0, 1]);
    const upcoming = async (from: number, workspaceId = W1) =>
      (await store.read(workspaceId).posts.upcoming(from, 9)).map((next) => next.id);
    assert.deepEqual([await upcoming(NOON + 50), await upcoming(NOON + 51), await upcoming(NOON, W2)], [[id], [], []]);
    await store.write(W1, ({ posts }) => posts.end(id, "published", { ...ENDED, at: NOON + 60 }));
    const published = [
      await workspaceFacts.published(NOON + 60, undefined),
      await workspaceFacts.published(NOON + 60, "x"),
      await workspaceFacts.published(NOON + 60, "blog"),
      await workspaceFacts.published(NOON + 61, undefined),
      await store.read(W2).workspaceFacts.published(0, undefined),
    ];
    assert.deepEqual(published, [1, 1, 0, 0, 0]);
    assert.equal(await scheduled(NOON, NOON + 50), 0);
  });
}
