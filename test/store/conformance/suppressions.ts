import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactRecord } from "../../../src/store/contacts.ts";
import type { SuppressionRow } from "../../../src/store/outreach.ts";
import type { Store } from "../../../src/store/store.ts";
import { sendRow } from "../../support/sends.ts";
import { enrollment } from "./enrollments.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { addSequence, approve } from "./sequences.ts";
import { ledger } from "./socialnet-fixtures.ts";

const ALL = { limit: 100, offset: 0 };

let made = 0x50_0000;

export function suppressionsConform(open: OpenStore): void {
  const suppression = (changes: Partial<SuppressionRow> = {}): SuppressionRow => {
    return { id: idOf(made++), email: "Ada@X.example", reason: "r", source: "member", createdAt: NOON, ...changes };
  };
  const put = (store: Store, row: SuppressionRow, workspaceId = W1, stated = true) =>
    store.write(workspaceId, ({ suppressions }) => suppressions.upsert({ ...row, stated }));

  test("an address is listed once, in lower case; a repeat with a reason updates only the reason and its source", async (t) => {
    const store = await found(await open(t));
    const first = suppression();
    const kept = { ...first, email: "ada@x.example" };
    assert.deepEqual(await put(store, first), { row: kept, added: true });
    const again = suppression({ email: "ADA@x.example", reason: "s", source: "engine", createdAt: NOON + 1 });
    const changed = { ...kept, reason: "s", source: "engine" as const };
    assert.deepEqual(await put(store, again), { row: changed, added: false });
    assert.deepEqual(await store.read(W1).suppressions.list(ALL), { rows: [changed], total: 1 });
    const unstated = suppression({ reason: "manual", source: "public_api" });
    assert.deepEqual(await put(store, unstated, W1, false), { row: changed, added: false }, "what is known stays");
    const racers = Array.from({ length: 20 }, () => put(store, suppression({ email: "race@x.example" })));
    assert.equal((await Promise.all(racers)).filter(({ added }) => added).length, 1);
    assert.equal((await store.read(W1).suppressions.list(ALL)).total, 2);
  });

  test("the reason of an opt-out is kept when a weaker one is added later", async (t) => {
    const store = await found(await open(t));
    const says = async ([reason, source]: readonly [string, SuppressionRow["source"]]) => {
      const { row } = await put(store, suppression({ reason, source }));
      return [row.reason, row.source];
    };
    const [bounce, letter] = [["bounce", "engine"] as const, ["letter", "member"] as const];
    const [link, complaint] = [["unsubscribe", "unsubscribe_link"] as const, ["complaint", "engine"] as const];
    for (const [said, then] of [
      [bounce, bounce],
      [letter, letter],
      [bounce, letter],
      [link, link],
      [letter, link],
      [bounce, link],
      [complaint, complaint],
      [link, complaint],
      [letter, complaint],
      [bounce, complaint],
    ] as const) {
      assert.deepEqual(await says(said), then);
    }
  });

  test("an entry without a reason replaces a bounce, and nothing else", async (t) => {
    const store = await found(await open(t));
    const add = async (reason: string, source: SuppressionRow["source"], stated: boolean) => {
      const { row } = await put(store, suppression({ reason, source }), W1, stated);
      return [row.reason, row.source];
    };
    await add("bounce", "engine", true);
    assert.deepEqual(await add("manual", "public_api", false), ["manual", "public_api"]);
    assert.deepEqual(await add("manual", "member", false), ["manual", "public_api"]);
  });

  test("each workspace has its own list, which ignores case", async (t) => {
    const store = await found(await open(t));
    await put(store, suppression());
    const has = (email: string, workspaceId = W1) => store.read(workspaceId).suppressions.has(email);
    assert.deepEqual(
      [await has("aDA@x.example"), await has("x"), await has("ada@x.example", W2)],
      [true, false, false],
    );
    assert.equal((await put(store, suppression(), W2)).added, true);
    assert.equal((await store.read(W1).suppressions.list(ALL)).total, 1);
  });

  test("an address is listed once in any spelling, and shown in the first one", async (t) => {
    const store = await found(await open(t));
    const first = suppression({ email: "Ada@Exämple.com" });
    const kept = { ...first, email: "ada@exämple.com" };
    assert.deepEqual(await put(store, first), { row: kept, added: true });
    assert.deepEqual(await put(store, suppression({ email: "ada@xn--exmple-cua.com" })), { row: kept, added: false });
    const { suppressions } = store.read(W1);
    for (const email of ["ada@xn--exmple-cua.com", "ADA@exa\u0308mple\u3002com", "ada@EXÄMPLE.com"]) {
      assert.deepEqual([await suppressions.has(email), await suppressions.find(email)], [true, kept], email);
    }
    assert.equal(await suppressions.similar("ada+news@xn--exmple-cua.com"), kept.email);
  });

  test("the opt-outs related to contacts: the latest one recorded, and a suppressed address of the same profile", async (t) => {
    const store = await found(await open(t));
    const socialnet_url = "https://socialnet.example/in/ada";
    const one = (await insert(store, { email: "one@x.example", socialnet_url })).contact.id;
    const twin = (await insert(store, { email: "twin@x.example", socialnet_url })).contact.id;
    const alone = (await insert(store, { email: "alone@x.example" })).contact.id;
    await put(store, suppression({ email: "one@x.example" }));
    let noted = 0x71_0000;
    const note = (earlier: string) =>
      store.write(W1, ({ activities }) =>
        activities.insert({
          id: idOf(noted++),
          contactId: alone,
          type: "suppressed",
          subject: null,
          body: null,
          now: NOON,
          metadata: { earlier },
        }),
      );
    await note("a@x.example");
    await note("b@x.example");
    const related = async (workspaceId = W1) => [
      ...(await store.read(workspaceId).suppressions.related([one, twin, alone])),
    ];
    const among = (workspaceId = W1) => store.read(workspaceId).suppressions.among([one, twin, alone]);
    assert.deepEqual([await among(), await among(W2)], [[one], []]);
    assert.deepEqual(await related(), [
      [one, { noted: {}, earlier: undefined, sameProfile: undefined, addresses: [] }],
      [twin, { noted: {}, earlier: undefined, sameProfile: "one@x.example", addresses: [] }],
      [alone, { noted: { earlier: "b@x.example" }, earlier: undefined, sameProfile: undefined, addresses: [] }],
    ]);
    assert.deepEqual(await related(W2), []);
  });

  test("an opt-out keeps its first profile, and finds contacts by it whatever happens to the suppressed one", async (t) => {
    const store = await found(await open(t));
    const profileUrl = "https://socialnet.example/in/ada";
    const twin = (await insert(store, { email: "twin@x.example", socialnet_url: `${profileUrl}/` })).contact.id;
    const related = async (workspaceId = W1) =>
      (await store.read(workspaceId).suppressions.related([twin])).get(twin)?.sameProfile;
    const list = (profile: string | null, email = "gone@x.example", workspaceId = W1) =>
      store.write(workspaceId, ({ suppressions }) =>
        suppressions.upsert({ ...suppression({ email }), stated: true, profileUrl: profile }),
      );
    await list(profileUrl, "gone@x.example", W2);
    await list(null);
    assert.equal(await related(), undefined);
    await list(profileUrl);
    await list("https://socialnet.example/in/other");
    await list(null);
    assert.equal(await related(), "gone@x.example");
    assert.equal(await related(W2), undefined);
    await list(profileUrl, "twin@x.example");
    await put(store, suppression({ email: "other@x.example" }));
    assert.equal(await related(), "gone@x.example", "its own address is not another one");
  });

  test("a contact's first 50 addresses are kept, and found by their opt-outs", async (t) => {
    const store = await found(await open(t));
    const { id } = (await insert(store, { email: "First@X.example" })).contact;
    const { id: other } = (await insert(store, { email: "other@x.example" })).contact;
    const change = (email: string | null, of = id) =>
      store.write(W1, async ({ contacts }) => {
        await contacts.update((await contacts.find(of)) as ContactRecord, { fields: { email }, now: NOON });
      });
    const reached = (email: string, workspaceId = W1) => store.read(workspaceId).suppressions.reached(email);
    const earlier = async (workspaceId = W1) =>
      (await store.read(workspaceId).suppressions.related([id])).get(id)?.earlier;
    await change("FIRST@x.example");
    assert.deepEqual(await reached("first@x.example"), [], "it is the same address");
    await change(null);
    for (let i = 1; i <= 51; i += 1) await change(`a${i}@x.example`);
    assert.deepEqual(await reached("first@x.example"), [id]);
    assert.deepEqual([await reached("a49@x.example"), await reached("a50@x.example")], [[id], []]);
    assert.deepEqual(await reached("first@x.example", W2), []);
    await change("first@x.example", other);
    await change("other@x.example", other);
    assert.deepEqual(await reached("first@x.example"), [id, other], "in the order in which they gave it up");
    await put(store, suppression({ email: "a1@x.example", reason: "bounce", source: "engine" }));
    await put(store, suppression({ email: "first@x.example" }), W2);
    assert.equal(await earlier(), undefined, "one bounced, and one is listed in another workspace");
    await put(store, suppression({ email: "first@x.example" }));
    assert.equal(await earlier(), "first@x.example");
    assert.equal(await earlier(W2), undefined);
    await change("first@x.example");
    assert.equal(await earlier(), undefined, "it is the current one");
  });

  test("contacts are found by an address they had: by what was sent to it, and by open actions approved at the time", async (t) => {
    const store = await found(await open(t));
    const { id: sequenceId } = await addSequence(store);
    const approvalId = (await approve(store, sequenceId, [])) as string;
    const { contact: mailed } = await insert(store, { first_name: "Ada" });
    const its = { id: idOf(made++), sequenceId, approvalId, contactId: mailed.id };
    await store.write(W1, ({ enrollments }) => enrollments.insert(enrollment(its)));
    const send = sendRow({ enrollmentId: its.id, sequenceId, contactId: mailed.id, address: "Old@X.example" });
    await store.write(W1, ({ sends }) => sends.insert(send));
    const { account, contact: planned, add } = await ledger(store);
    const rename = (email: string) =>
      store.write(W1, async ({ contacts }) => {
        await contacts.update((await contacts.find(planned.id)) as ContactRecord, { fields: { email }, now: NOON });
      });
    const reached = async (email: string, workspaceId = W1) =>
      (await store.read(workspaceId).suppressions.reached(email)).sort();
    assert.deepEqual(await reached("OLD@x.example"), [mailed.id]);
    // The first addresses are stored separately: beyond them, only approvals say whose address it was.
    for (let i = 0; i <= 50; i += 1) await rename(`a${i}@x.example`);
    await rename("old@x.example");
    const [one, other] = [await add(), await add()];
    assert.deepEqual(await reached("old@x.example"), [mailed.id], "it is not approved");
    await store.write(W1, ({ socialnetActions }) => socialnetActions.move(one.id, "approve", NOON));
    await rename("new@x.example");
    await store.write(W1, ({ socialnetActions }) =>
      socialnetActions.moveUnattended(account.id, "planned", "approve", NOON),
    );
    const { socialnetActions } = store.read(W1);
    assert.equal((await socialnetActions.find(one.id))?.approvedEmailKey, "old@x.example");
    assert.equal((await socialnetActions.find(other.id))?.approvedEmailKey, "new@x.example");
    assert.deepEqual(await reached("old@x.example"), [mailed.id, planned.id].sort());
    assert.deepEqual(await reached("old@x.example", W2), []);
    await store.write(W1, ({ socialnetActions: actions }) => actions.move(one.id, "cancel", NOON));
    assert.deepEqual(await reached("old@x.example"), [mailed.id]);
    await store.write(W1, ({ sends }) =>
      sends.move(send.id, [send.status], "queued", NOON, { address: "n@x.example" }),
    );
    assert.deepEqual([await reached("old@x.example"), await reached("n@x.example")], [[], [mailed.id]]);
  });

  test("suppressions are listed by address, in pages", async (t) => {
    const store = await found(await open(t));
    for (const name of ["c", "a", "b"]) await put(store, suppression({ email: `${name}@x.example` }));
    const page = await store.read(W1).suppressions.list({ limit: 2, offset: 1 });
    assert.deepEqual([page.rows.map(({ email }) => email[0]), page.total], [["b", "c"], 3]);
  });
}

export function pauseConforms(open: OpenStore): void {
  test("a pause keeps its first time, takes a given reason, and ends once, only for its workspace", async (t) => {
    const store = await found(await open(t));
    const none = { pausedAt: null, reason: null };
    const pause = (reason: string | null, now: number) =>
      store.write(W1, ({ workspace }) => workspace.pauseOutreach(reason, now));
    const resume = (workspaceId: string) => store.write(workspaceId, ({ workspace }) => workspace.resumeOutreach());
    assert.deepEqual(await store.read(W1).workspace.pause(), none);
    assert.deepEqual(await pause("one", NOON), { pausedAt: NOON, reason: "one" });
    assert.deepEqual(await pause("two", NOON + 1), { pausedAt: NOON, reason: "two" });
    assert.deepEqual(await pause(null, NOON + 2), { pausedAt: NOON, reason: "two" });
    assert.deepEqual(await store.read(W1).workspace.pause(), { pausedAt: NOON, reason: "two" });
    assert.deepEqual(await store.read(W2).workspace.pause(), none);
    assert.deepEqual([await resume(W2), await resume(W1), await resume(W1)], [false, true, false]);
    assert.deepEqual(await store.read(W1).workspace.pause(), none);
    await assert.rejects(store.read(idOf(9)).workspace.pause(), "a pause that cannot be read is no answer");
  });
}
