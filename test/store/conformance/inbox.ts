import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_STATUSES, type AnswerMove, type AnswerStatus } from "../../../src/domain/outreach/answer.ts";
import type { AnswerRow } from "../../../src/store/inbox.ts";
import type { Store } from "../../../src/store/store.ts";
import { archive, found, idOf, insert, NOON, type OpenStore, W1, W2 } from "./fixtures.ts";

const PAGE = { limit: 10, offset: 0 };
const ME = idOf(0x70_0001);
const by = { memberId: ME, now: NOON + 100 };

let made = 0x71_0000;

const reply = (contactId: string, more: object = {}) => ({
  contactId,
  lastReplyId: idOf(made++),
  lastReplyType: "email_reply" as const,
  subject: "Re: Hello",
  excerpt: "Yes",
  ...more,
});
const EMAIL = {
  emailFrom: "a@x.example",
  emailSubject: "Re",
  emailMessageId: "<m@x>",
  emailThread: ["<a@x>", "<b@x>"],
};

async function conversation(store: Store, at: number, more: object = {}, isArchived = false): Promise<string> {
  const { contact } = await insert(store, { first_name: "Ada" });
  if (isArchived) await archive(store, contact.id);
  await store.write(W1, ({ conversations }) => conversations.receive(reply(contact.id, more), at));
  return contact.id;
}

function answer(contactId: string, changes: Partial<AnswerRow> = {}): AnswerRow {
  return {
    id: idOf(made++),
    contactId,
    status: "needs_review",
    address: "ada@x.example",
    subject: "Re: Hello",
    body: "Hi.",
    inReplyTo: null,
    delivery: "send",
    thread: ["<a@x>"],
    plannedBy: "Grace",
    plannedById: ME,
    approvedBy: null,
    approvedAt: null,
    approvedHash: null,
    dueAt: null,
    note: null,
    createdAt: NOON,
    updatedAt: NOON,
    endedAt: null,
    ...changes,
  };
}

/** Where each move leads, from where it starts. */
const MOVES: Record<AnswerMove, [from: AnswerStatus[], to: AnswerStatus]> = {
  approve: [["needs_review"], "approved"],
  send_back: [["approved"], "needs_review"],
  request_change: [["needs_review"], "changes_requested"],
  revise: [["changes_requested"], "needs_review"],
  cancel: [["needs_review", "changes_requested", "approved"], "cancelled"],
  send: [["approved", "failed", "cancelled"], "sent"],
  write: [["approved"], "written"],
  fail: [["approved", "sent"], "failed"],
};

export function inboxConforms(open: OpenStore): void {
  test("conversations are listed unread first, then by their last reply, in their own workspace, without archived contacts", async (t) => {
    const store = await found(await open(t));
    const ids = [
      await conversation(store, NOON),
      await conversation(store, NOON + 1),
      await conversation(store, NOON + 2),
    ];
    const [one, two, three] = ids as [string, string, string];
    const update = (id: string, patch: object) =>
      store.write(W1, ({ conversations }) => conversations.update(id, patch, NOON));
    const mine = store.read(W1).conversations;
    const listed = async (view: Parameters<typeof mine.list>[0], now = by.now) =>
      (await mine.list(view, { ...by, now }, PAGE)).map(({ contactId }) => contactId);
    await update(three, { unread: false });
    assert.deepEqual(await listed("open"), [two, one, three]);
    await update(one, { assigneeId: ME });
    await update(two, { snoozedUntil: by.now + 1 });
    assert.deepEqual([await listed("open"), await listed("mine")], [[one, three], [one]]);
    assert.deepEqual([await listed("unassigned"), await listed("snoozed")], [[three], [two]]);
    assert.deepEqual(await listed("open", by.now + 1), [two, one, three], "a snooze ends by itself");
    await update(three, { status: "done" });
    assert.deepEqual(await mine.counts(by), {
      to_answer: 1,
      open: 1,
      mine: 1,
      unassigned: 0,
      snoozed: 1,
      done: 1,
      unread: 1,
    });
    const { unread: _, ...views } = await mine.counts(by);
    for (const [view, total] of Object.entries(views)) {
      assert.equal(await mine.count(view as keyof typeof views, by), total, view);
    }
    await archive(store, one);
    assert.deepEqual([await listed("open"), (await mine.counts(by)).open], [[], 0]);
    await conversation(store, NOON + 3, {}, true);
    assert.deepEqual([await listed("open"), await mine.openCounts(by.now)], [[], []], "mail for an archived contact");
    const theirs = store.read(W2).conversations;
    assert.deepEqual([await theirs.list("open", by, PAGE), (await theirs.counts(by)).open], [[], 0]);
    assert.equal(await theirs.find(two), undefined);
    assert.equal(
      await store.write(W2, ({ conversations }) => conversations.update(two, { unread: false }, 1)),
      undefined,
    );
  });

  test("the conversations to answer are a member's own and unassigned ones, and the oldest come first whether read or not", async (t) => {
    const store = await found(await open(t));
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await conversation(store, NOON + i));
    const [one, two, three, four, five] = ids as [string, string, string, string, string];
    const update = (id: string, patch: object) =>
      store.write(W1, ({ conversations }) => conversations.update(id, patch, NOON));
    await update(two, { unread: false });
    await update(three, { assigneeId: ME });
    await update(four, { assigneeId: "a-teammate" });
    const mine = store.read(W1).conversations;
    const oldest = async (view: Parameters<typeof mine.list>[0], limit: number, offset = 0) =>
      (await mine.list(view, by, { limit, offset }, "oldest")).map(({ contactId }) => contactId);
    assert.deepEqual(await oldest("to_answer", 10), [one, two, three, five]);
    assert.deepEqual(
      [await oldest("to_answer", 2), await oldest("to_answer", 2, 2)],
      [
        [one, two],
        [three, five],
      ],
    );
    assert.deepEqual(await oldest("open", 10), ids);
    assert.equal((await mine.counts(by)).to_answer, 4);
    const counts = async (now = by.now) =>
      new Map((await mine.openCounts(now)).map(({ assigneeId, count }) => [assigneeId, count]));
    assert.deepEqual(
      await counts(),
      new Map<string | null, number>([
        [null, 3],
        [ME, 1],
        ["a-teammate", 1],
      ]),
    );
    await update(one, { snoozedUntil: by.now + 1 });
    await update(two, { status: "done" });
    assert.equal((await counts()).get(null), 1);
    assert.equal((await counts(by.now + 1)).get(null), 2, "a snooze ends by itself");
    await store.write(W2, ({ conversations }) => conversations.unassign("a-teammate", NOON));
    assert.equal((await counts()).get("a-teammate"), 1, "in another workspace");
    await store.write(W1, ({ conversations }) => conversations.unassign("a-teammate", NOON));
    assert.deepEqual([(await counts()).get("a-teammate"), (await counts()).get(null)], [undefined, 2]);
  });

  test("a new reply opens a conversation again and keeps its assignee, and the thread of the last one by email", async (t) => {
    const store = await found(await open(t));
    const id = await conversation(store, NOON, { email: EMAIL });
    const closed = {
      status: "done",
      unread: false,
      snoozedUntil: NOON,
      mark: "not_interested",
      assigneeId: ME,
    } as const;
    await store.write(W1, ({ conversations }) => conversations.update(id, closed, NOON));
    const network = { lastReplyType: "socialnet_reply" as const, subject: null, excerpt: "Hi" };
    const next = reply(id, network);
    await store.write(W1, ({ conversations }) => conversations.receive(next, NOON + 5));
    assert.deepEqual(await store.read(W1).conversations.find(id), {
      ...next,
      ...EMAIL,
      status: "open",
      unread: true,
      snoozedUntil: null,
      mark: null,
      assigneeId: ME,
      lastReplyAt: NOON + 5,
    });
  });

  test("a message that answers nothing opens a conversation, and lifts no mark of someone who is not interested", async (t) => {
    const store = await found(await open(t));
    const id = await conversation(store, NOON, { email: EMAIL });
    const message = reply(id, { lastReplyType: "socialnet_message_received" });
    for (const [mark, after] of [
      ["not_interested", "not_interested"],
      ["out_of_office", null],
    ] as const) {
      await store.write(W1, async ({ conversations }) => {
        await conversations.update(id, { status: "done", mark }, NOON);
        await conversations.receive(message, NOON + 5);
      });
      const kept = await store.read(W1).conversations.find(id);
      assert.deepEqual([kept?.status, kept?.mark, kept?.lastReplyType], ["open", after, message.lastReplyType]);
    }
  });

  test("an answer moves only from where its state machine lets it", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    for (const [move, [from, to]] of Object.entries(MOVES) as [AnswerMove, [AnswerStatus[], AnswerStatus]][]) {
      for (const status of Object.keys(ANSWER_STATUSES) as AnswerStatus[]) {
        const row = answer(contact.id, { status, dueAt: NOON });
        await store.write(W1, ({ emailAnswers }) => emailAnswers.insert(row));
        const other = await store.write(W2, ({ emailAnswers }) => emailAnswers.move(row.id, move, NOON + 1));
        const moved = await store.write(W1, ({ emailAnswers }) => emailAnswers.move(row.id, move, NOON + 1));
        assert.deepEqual(
          [other, moved?.status],
          [undefined, from.includes(status) ? to : undefined],
          `${status} ${move}`,
        );
      }
    }
  });

  test("an answer reads back as written, is edited only while it needs review, and is due when it is approved", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const row = answer(contact.id);
    const write = <T>(job: Parameters<typeof store.write<T>>[1]) => store.write(W1, job);
    await write(({ emailAnswers }) => emailAnswers.insert(row));
    const { emailAnswers } = store.read(W1);
    assert.deepEqual([await emailAnswers.find(row.id), await emailAnswers.ofContact(contact.id, 5)], [row, [row]]);
    assert.deepEqual(await store.read(W2).emailAnswers.ofContact(contact.id, 5), []);
    const edit = (body: string) => write(({ emailAnswers: own }) => own.edit(row.id, { subject: "S", body }, NOON + 1));
    assert.equal((await edit("Two"))?.body, "Two");
    assert.deepEqual(await store.engineDue.answers(NOON + 9, 5), []);
    await write(({ emailAnswers: own }) => own.move(row.id, "approve", NOON + 2, { dueAt: NOON + 5 }));
    assert.equal(await edit("Three"), undefined);
    assert.deepEqual(await store.engineDue.answers(NOON + 4, 5), []);
    assert.deepEqual(await store.engineDue.answers(NOON + 5, 5), [{ workspaceId: W1, id: row.id, delivery: "send" }]);
    await write(({ emailAnswers: own }) => own.wait(row.id, null, NOON + 6, "Being sent."));
    assert.equal((await emailAnswers.find(row.id))?.note, "Being sent.");
  });
}
