import { and, asc, count, desc, eq, getTableColumns, inArray, lte, sql } from "drizzle-orm";
import { emailKey } from "../../domain/contacts/address.ts";
import type { MailDelivery, SendStatus } from "../../domain/outreach/sending.ts";
import type { EngineDue, SendFilter, SendRow, Sends, SmtpBackoffRow, StepSend } from "../outreach.ts";
import { around } from "./dialect.ts";
import { filteredList, listOf, rowsOf, totalOf } from "./lists.ts";
import { mailReceived as m, sends as s } from "./schema/index.ts";
import {
  acrossWorkspaces,
  type Db,
  memoized,
  namesIn,
  newRow,
  type Params,
  placeholders,
  type Statement,
} from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, addressKey: __, ...COLUMNS } = getTableColumns(s);

/** The columns do not say that a message is of a step or an answer. */
const rowOf = (row: object | undefined) => row as SendRow | undefined;

/** The key by which messages are found changes with their address. */
const keyed = ({ address }: { address?: string }) => (address === undefined ? {} : { addressKey: emailKey(address) });

export function sends(db: Db): (workspaceId: string) => Sends {
  const { orm, dialect } = db;
  const mine = eq(s.workspaceId, p("workspaceId"));
  const one = and(eq(s.id, p("id")), mine);
  const insert = db.query(orm.insert(s).values(newRow(s)));
  const find = db.query(orm.select(COLUMNS).from(s).where(one));
  const ofStep = db.query(
    orm
      .select(COLUMNS)
      .from(s)
      .where(and(eq(s.enrollmentId, p("enrollmentId")), eq(s.step, p("step")), mine)),
  );
  const ofAnswer = db.query(
    orm
      .select(COLUMNS)
      .from(s)
      .where(and(eq(s.answerId, p("answerId")), sql`answer_id IS NOT NULL`, mine)),
  );
  const thread = db.query(
    orm
      .select({ messageId: s.messageId })
      .from(s)
      .where(and(eq(s.enrollmentId, p("enrollmentId")), eq(s.status, "sent"), mine))
      .orderBy(asc(s.step)),
  );
  /** By `statuses|columns|guard`. */
  const move = memoized((key) => {
    const [from = "", columns = "", guard] = key.split("|");
    const attempt = guard ? eq(s.lastAttemptAt, p("attemptAt")) : undefined;
    return db.query(
      orm
        .update(s)
        .set(placeholders(...namesIn(columns)))
        .where(and(one, inArray(s.status, from.split(",") as SendStatus[]), attempt))
        .returning(COLUMNS),
    );
  });
  const renew = db.query(
    orm
      .update(s)
      .set(placeholders("leaseUntil"))
      .where(and(one, inArray(s.status, ["queued", "sending"]), eq(s.lastAttemptAt, p("attemptAt")))),
  );
  /** By whether it is of one sequence. */
  const unknown = memoized((ofOne) =>
    db.query(
      orm
        .select(COLUMNS)
        .from(s)
        .where(
          and(
            mine,
            sql`${s.status} = 'unknown'`,
            lte(s.updatedAt, p("until")),
            ofOne ? sql`${around(dialect.unindexed, s.sequenceId)} = ${p("sequenceId")}` : undefined,
          ),
        )
        .orderBy(asc(s.createdAt), asc(s.id))
        .limit(p("limit")),
    ),
  );
  const countSince = db.query(
    orm
      .select({ count: count() })
      .from(s)
      .where(and(mine, sql`${s.lastAttemptAt} >= ${p("since")}`)),
  );
  const pages = filteredList<SendRow, SendFilter>((names) => {
    // The status is in sends_sequence too, so there it must not select an index of all sequences.
    const conditions = names.map((name) =>
      name === "status" && names.includes("sequenceId")
        ? sql`${around(dialect.unindexed, s.status)} = ${p(name)}`
        : eq(s[name], p(name)),
    );
    const where = and(mine, ...conditions);
    const rows = rowsOf(db, COLUMNS, s, where, desc(s.createdAt), desc(s.id)) as Statement<Params, SendRow>;
    return listOf(rows, totalOf(db, "sends", names, s, where));
  });
  const receive = db.query(orm.insert(m).values(newRow(m)).onConflictDoNothing());

  return (workspaceId) => ({
    async insert(send) {
      await insert.run({ ...send, ...keyed(send), workspaceId });
    },
    async find(id) {
      return rowOf(await find.get({ id, workspaceId }));
    },
    async ofStep(enrollmentId, step) {
      return rowOf(await ofStep.get({ enrollmentId, step, workspaceId })) as StepSend | undefined;
    },
    async ofAnswer(answerId) {
      return rowOf(await ofAnswer.get({ answerId, workspaceId }));
    },
    async thread(enrollmentId) {
      return (await thread.all({ enrollmentId, workspaceId })).map(({ messageId }) => messageId);
    },
    async move(id, from, status, now, patch = {}, attemptAt) {
      const set = { leaseUntil: null, leasedBy: null, ...patch, ...keyed(patch), status, updatedAt: now };
      const guard = attemptAt === undefined ? "" : "attempt";
      const key = `${from.join()}|${Object.keys(set).join()}|${guard}`;
      return rowOf(await move(key).get({ ...set, id, attemptAt, workspaceId }));
    },
    async renew(id, leaseUntil, attemptAt) {
      await renew.run({ id, leaseUntil, attemptAt, workspaceId });
    },
    async unknown({ sequenceId, until }, limit) {
      const found = await unknown(sequenceId === undefined ? "" : "one").all({ sequenceId, until, limit, workspaceId });
      return found as SendRow[];
    },
    async countSince(since) {
      return (await countSince.get({ since, workspaceId }))?.count ?? 0;
    },
    list: (filter, page) => pages({ workspaceId }, filter, page),
    async receive(messageId, sendId, now) {
      const key = `${messageId} ${sendId}`;
      return (await receive.run({ messageId: key, receivedAt: now, workspaceId })).changes === 1;
    },
  });
}

type Located = { workspaceId: string; id: string };

export const engineDue = acrossWorkspaces<EngineDue>(
  { durable: ["beginBackoff", "endBackoff", "keepCursor"] },
  (db) => {
    const sequences = db.sql<{ now: number }, { workspaceId: string; sequenceId: string }>(
      `SELECT s.workspace_id AS workspaceId, s.id AS sequenceId FROM sequences s
       JOIN workspaces w ON w.id = s.workspace_id
       WHERE s.status = 'active' AND w.paused_at IS NULL AND EXISTS (
         SELECT 1 FROM enrollments e
         WHERE e.sequence_id = s.id AND e.status = 'active' AND e.held_reason IS NULL AND e.due_at <= @now)
       ORDER BY s.id`,
    );
    const enrollments = db.value<{ sequenceId: string; now: number; most: number }, string>(
      `SELECT id FROM enrollments
       WHERE sequence_id = @sequenceId AND status = 'active' AND held_reason IS NULL AND due_at <= @now
       ORDER BY due_at, ${db.dialect.added} LIMIT @most`,
    );
    const answers = db.sql<{ now: number; most: number }, Located & { delivery: MailDelivery }>(
      `SELECT a.workspace_id AS workspaceId, a.id, a.delivery FROM email_answers a JOIN workspaces w ON w.id = a.workspace_id
       WHERE a.due_at <= @now AND a.due_at IS NOT NULL AND w.paused_at IS NULL ORDER BY a.due_at LIMIT @most`,
    );
    const stale = db.sql<{ now: number; most: number }, Located>(
      `SELECT workspace_id AS workspaceId, id FROM sends WHERE status IN ('queued', 'sending') AND lease_until <= @now
       ORDER BY lease_until LIMIT @most`,
    );
    const byId = db.sql<{ id: string }, Located>("SELECT workspace_id AS workspaceId, id FROM sends WHERE id = @id");
    const byMessage = db.sql<{ messageId: string }, Located>(
      "SELECT workspace_id AS workspaceId, id FROM sends WHERE message_id = @messageId LIMIT 1",
    );
    // Of each workspace the first of its index.
    const firstSend = db.value<object, number | null>(
      "SELECT min((SELECT min(created_at) FROM sends s WHERE s.workspace_id = w.id)) FROM workspaces w",
    );
    const cursor = db.sql<{ mailbox: string }, { uidValidity: string; uid: number }>(
      "SELECT uid_validity AS uidValidity, uid FROM mail_cursors WHERE mailbox = @mailbox",
    );
    const keepCursor = db.sql(
      `INSERT INTO mail_cursors (mailbox, uid_validity, uid, updated_at) VALUES (@mailbox, @uidValidity, @uid, @now)
       ON CONFLICT (mailbox) DO UPDATE SET
         uid_validity = excluded.uid_validity, uid = excluded.uid, updated_at = excluded.updated_at`,
    );
    const backoff = db.sql<{ server: string }, SmtpBackoffRow>(
      "SELECT refusals, began_at AS beganAt, until, detail FROM mail_rests WHERE server = @server",
    );
    const untilAt = (index: string) => `@now + ${db.dialect.numberAt("@backoffMs", index)}`;
    const beginBackoff = db.sql(
      `INSERT INTO mail_rests (server, refusals, began_at, until, detail) VALUES (@server, 1, @now, ${untilAt("0")}, @detail)
       ON CONFLICT (server) DO UPDATE SET refusals = mail_rests.refusals + 1, began_at = @now, detail = @detail,
         until = ${untilAt("CASE WHEN mail_rests.refusals < @last THEN mail_rests.refusals ELSE @last END")}
       WHERE mail_rests.began_at < @attemptAt`,
    );
    const endBackoff = db.sql("DELETE FROM mail_rests WHERE server = @server AND began_at < @attemptAt");

    return {
      async sequences(now) {
        return sequences.all({ now });
      },
      async enrollments(sequenceId, now, most) {
        return enrollments.all({ sequenceId, now, most });
      },
      async answers(now, most) {
        return answers.all({ now, most });
      },
      async stale(now, most) {
        return stale.all({ now, most });
      },
      async workspaceOf(send) {
        return "id" in send ? byId.get(send) : byMessage.get(send);
      },
      async firstSendAt() {
        return (await firstSend.get({})) ?? undefined;
      },
      async cursor(mailbox) {
        return cursor.get({ mailbox });
      },
      async keepCursor(mailbox, { uidValidity, uid }, now) {
        await keepCursor.run({ mailbox, uidValidity, uid, now });
      },
      async backoff(server) {
        return backoff.get({ server });
      },
      async beginBackoff(server, { backoffMs, ...refusal }, now) {
        const last = backoffMs.length - 1;
        await beginBackoff.run({ ...refusal, server, backoffMs: JSON.stringify(backoffMs), last, now });
        return (await backoff.get({ server })) as SmtpBackoffRow;
      },
      async endBackoff(server, attemptAt) {
        await endBackoff.run({ server, attemptAt });
      },
    };
  },
);
