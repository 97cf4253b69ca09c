import { and, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { type AnswerMove, answerAfter, answersBefore } from "../../domain/outreach/answer.ts";
import type { ConversationMark, ConversationView } from "../../domain/outreach/conversation.ts";
import type {
  ConversationCounts,
  ConversationRow,
  Conversations,
  EmailAnswers,
  ListedConversation,
  OpenCount,
} from "../inbox.ts";
import type { Page } from "../page.ts";
import { emailAnswers as e, conversations as v } from "./schema/index.ts";
import { type Db, memoized, namesIn, newRow, type Params, placeholders } from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, updatedAt: __, archived: _____, ...CONVERSATION } = getTableColumns(v);
const { workspaceId: ___, ...ANSWER } = getTableColumns(e);

const NOT_SNOOZED = "(v.snoozed_until IS NULL OR v.snoozed_until <= @now)";
const AWAKE = `v.status = 'open' AND ${NOT_SNOOZED}`;

const WHERE: Record<ConversationView, string> = {
  to_answer: `${AWAKE} AND (v.assignee_id IS NULL OR v.assignee_id = @memberId)`,
  open: AWAKE,
  mine: `${AWAKE} AND v.assignee_id = @memberId`,
  unassigned: `${AWAKE} AND v.assignee_id IS NULL`,
  snoozed: "v.status = 'open' AND v.snoozed_until > @now",
  done: "v.status = 'done'",
};

const LISTED = `v.contact_id AS contactId, v.status, v.unread, v.assignee_id AS assigneeId,
  v.snoozed_until AS snoozedUntil, v.mark, v.last_reply_id AS lastReplyId, v.last_reply_type AS lastReplyType,
  v.last_reply_at AS lastReplyAt, v.subject, v.excerpt`;

const OF_REPLY = [
  "status",
  "unread",
  "snoozedUntil",
  "mark",
  "lastReplyId",
  "lastReplyType",
  "lastReplyAt",
  "subject",
  "excerpt",
  "updatedAt",
] as const;
const OF_EMAIL = ["emailFrom", "emailSubject", "emailMessageId", "emailThread"] as const;

type ListedKey = Pick<ListedConversation, "lastReplyAt" | "contactId">;

const isUnread = <T extends { unread: number }>(row: T) => ({ ...row, unread: row.unread === 1 });

type StoredConversation = Omit<ConversationRow, "unread" | "emailThread"> & {
  unread: number;
  emailThread: string[] | null;
};

function rowOf(found: object | undefined): ConversationRow | undefined {
  const row = found as StoredConversation | undefined;
  return row && { ...row, unread: row.unread === 1, emailThread: row.emailThread ?? [] };
}

export function conversations(db: Db): (workspaceId: string) => Conversations {
  const { orm } = db;
  const one = and(eq(v.contactId, p("contactId")), eq(v.workspaceId, p("workspaceId")));
  // Mail for an archived contact is recorded too.
  const archived = sql`(SELECT CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END FROM contacts WHERE id = ${p("contactId")})`;
  const received = Object.assign(newRow(v), { archived });
  // A builder of its own for each: it keeps what it is told.
  const upsert = (...columns: string[]) =>
    db.query(
      orm
        .insert(v)
        .values(received)
        .onConflictDoUpdate({ target: v.contactId, set: placeholders(...columns) }),
    );
  const receive = upsert(...OF_REPLY);
  // Only an agent reports a message that is no reply. It must not remove the mark that warns people.
  const refused = sql<ConversationMark>`CASE WHEN ${v.mark} = 'not_interested' THEN ${v.mark} END`;
  const receiveMessage = db.query(
    orm
      .insert(v)
      .values(received)
      .onConflictDoUpdate({ target: v.contactId, set: Object.assign(placeholders(...OF_REPLY), { mark: refused }) }),
  );
  const receiveEmail = upsert(...OF_REPLY, ...OF_EMAIL);
  const find = db.query(orm.select(CONVERSATION).from(v).where(one));
  const { elements, joinInOrder, unindexed } = db.dialect;
  const lastIds = db.sql<{ contactIds: string; workspaceId: string }, { contactId: string; id: string }>(
    `SELECT v.contact_id AS contactId, v.last_reply_id AS id
     FROM ${elements("@contactIds", "asked")} ${joinInOrder} conversations v ON v.contact_id = asked.value
     WHERE ${unindexed("v.workspace_id")} = @workspaceId`,
  );
  const notInterested = db.value<{ contactIds: string; workspaceId: string }, string>(
    `SELECT v.contact_id
     FROM ${elements("@contactIds", "asked")} ${joinInOrder} conversations v ON v.contact_id = asked.value
     WHERE ${unindexed("v.workspace_id")} = @workspaceId AND v.mark = 'not_interested'`,
  );
  /** By the columns. */
  const update = memoized((columns) =>
    db.query(
      orm
        .update(v)
        .set(placeholders(...namesIn(columns)))
        .where(one)
        .returning(CONVERSATION),
    ),
  );
  const from = "conversations v WHERE v.workspace_id = @workspaceId AND v.archived = 0";
  const lists = memoized((view) =>
    db.sql<Params, Omit<ListedConversation, "unread"> & { unread: number }>(
      `SELECT ${LISTED} FROM ${from} AND ${WHERE[view as ConversationView]}
       ORDER BY v.unread DESC, v.last_reply_at DESC, v.contact_id DESC LIMIT @limit OFFSET @offset`,
    ),
  );
  const oldest = memoized((view) =>
    db.sql<Params, Omit<ListedConversation, "unread"> & { unread: number }>(
      `SELECT ${LISTED} FROM ${from} AND ${WHERE[view as ConversationView]} AND v.unread = @unread
       ORDER BY v.last_reply_at, v.contact_id LIMIT @most`,
    ),
  );
  // One walk over the index for all views of open conversations. What the WHERE asks isn't asked again for each count.
  const openViews = db.sql<Params, Omit<ConversationCounts, "to_answer" | "done" | "open"> & { every: number }>(
    `SELECT count(*) AS every, count(*) FILTER (WHERE v.snoozed_until > @now) AS snoozed,
       count(*) FILTER (WHERE v.assignee_id = @memberId AND ${NOT_SNOOZED}) AS mine,
       count(*) FILTER (WHERE v.assignee_id IS NULL AND ${NOT_SNOOZED}) AS unassigned,
       count(*) FILTER (WHERE v.unread = 1 AND ${NOT_SNOOZED}) AS unread
     FROM ${from} AND v.status = 'open'`,
  );
  const countOf = memoized((view) =>
    db.value<Params, number>(`SELECT count(*) FROM ${from} AND ${WHERE[view as ConversationView]}`),
  );
  const openCounts = db.sql<Params, OpenCount>(
    `SELECT v.assignee_id AS assigneeId, count(*) AS count FROM ${from} AND ${AWAKE} GROUP BY v.assignee_id`,
  );
  const unassign = db.sql<Params>(
    `UPDATE conversations SET assignee_id = NULL, updated_at = @now
     WHERE workspace_id = @workspaceId AND assignee_id = @memberId`,
  );

  return (workspaceId) => {
    /** The index has read and unread ones apart, each in order. */
    async function oldestOf(view: ConversationView, by: object, { limit, offset }: Page) {
      const params = { ...by, workspaceId, most: limit + offset };
      const found = [
        ...(await oldest(view).all({ ...params, unread: 0 })),
        ...(await oldest(view).all({ ...params, unread: 1 })),
      ];
      const isBefore = (one: ListedKey, other: ListedKey) =>
        one.lastReplyAt - other.lastReplyAt || (one.contactId < other.contactId ? -1 : 1);
      return found.sort(isBefore).slice(offset, offset + limit);
    }
    return {
      async receive({ email, ...reply }, now) {
        const state = { status: "open", unread: 1, snoozedUntil: null, mark: null, assigneeId: null };
        const none = { emailFrom: null, emailSubject: null, emailMessageId: null, emailThread: null };
        const row = { ...reply, ...state, ...(email ?? none), lastReplyAt: now, updatedAt: now, workspaceId };
        const isAnswer = reply.lastReplyType !== "socialnet_message_received";
        await (email !== undefined ? receiveEmail : isAnswer ? receive : receiveMessage).run(row);
      },
      async find(contactId) {
        return rowOf(await find.get({ contactId, workspaceId }));
      },
      async notInterested(contactIds) {
        if (contactIds.length === 0) return new Set();
        return new Set(await notInterested.all({ contactIds: JSON.stringify(contactIds), workspaceId }));
      },
      async lastIds(contactIds) {
        const found = await lastIds.all({ contactIds: JSON.stringify([...new Set(contactIds)]), workspaceId });
        return new Map(found.map(({ contactId, id }) => [contactId, id]));
      },
      async update(contactId, { unread, ...patch }, now) {
        const set = { ...patch, ...(unread === undefined ? {} : { unread: Number(unread) }), updatedAt: now };
        return rowOf(await update(Object.keys(set).join()).get({ ...set, contactId, workspaceId }));
      },
      async list(view, by, page, order = "newest") {
        const params = { ...by, workspaceId };
        const rows =
          order === "newest" ? await lists(view).all({ ...params, ...page }) : await oldestOf(view, by, page);
        return rows.map(isUnread);
      },
      async count(view, by) {
        return (await countOf(view).get({ ...by, workspaceId })) ?? 0;
      },
      async counts(by) {
        const none = { every: 0, mine: 0, unassigned: 0, snoozed: 0, unread: 0 };
        const { every, ...views } = (await openViews.get({ ...by, workspaceId })) ?? none;
        const open = every - views.snoozed;
        const to_answer = views.unassigned + views.mine;
        return { ...views, open, to_answer, done: (await countOf("done").get({ workspaceId })) ?? 0 };
      },
      async openCounts(now) {
        return openCounts.all({ now, workspaceId });
      },
      async unassign(memberId, now) {
        await unassign.run({ memberId, now, workspaceId });
      },
    };
  };
}

/** Moves that end an answer. */
const ENDING: readonly AnswerMove[] = ["cancel", "send", "write", "fail"];

export function emailAnswers(db: Db): (workspaceId: string) => EmailAnswers {
  const { orm } = db;
  const mine = eq(e.workspaceId, p("workspaceId"));
  const one = and(eq(e.id, p("id")), mine);
  const insert = db.query(orm.insert(e).values(newRow(e)));
  const find = db.query(orm.select(ANSWER).from(e).where(one));
  const ofContact = db.query(
    orm
      .select(ANSWER)
      .from(e)
      .where(and(eq(e.contactId, p("contactId")), mine))
      .orderBy(desc(e.createdAt), desc(e.id))
      .limit(p("limit")),
  );
  /** By `move|columns`. */
  const move = memoized((key) => {
    const [name = "", columns = ""] = key.split("|");
    return db.query(
      orm
        .update(e)
        .set(placeholders(...namesIn(columns)))
        .where(and(one, inArray(e.status, answersBefore(name as AnswerMove))))
        .returning(ANSWER),
    );
  });
  const edit = db.query(
    orm
      .update(e)
      .set({
        ...(placeholders("subject", "body", "updatedAt") as object),
        status: "needs_review",
        // The note of a change request is settled by the edit.
        note: sql`CASE WHEN ${e.status} = 'needs_review' THEN ${e.note} END`,
      })
      .where(and(one, inArray(e.status, ["needs_review", ...answersBefore("revise")])))
      .returning(ANSWER),
  );
  const wait = db.query(
    orm
      .update(e)
      .set(placeholders("dueAt", "note", "updatedAt"))
      .where(and(one, eq(e.status, "approved"))),
  );

  return (workspaceId) => ({
    async insert(answer) {
      await insert.run({ ...answer, workspaceId });
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async ofContact(contactId, limit) {
      return ofContact.all({ contactId, limit, workspaceId });
    },
    async move(id, name, now, patch = {}) {
      const ended = ENDING.includes(name) ? { dueAt: null, endedAt: now } : {};
      const set = { ...ended, ...patch, status: answerAfter(name), updatedAt: now };
      return move(`${name}|${Object.keys(set).join()}`).get({ ...set, id, workspaceId });
    },
    async edit(id, { subject, body }, now) {
      return edit.get({ id, subject, body, updatedAt: now, workspaceId });
    },
    async wait(id, dueAt, now, note = null) {
      await wait.run({ id, dueAt, note, updatedAt: now, workspaceId });
    },
  });
}
