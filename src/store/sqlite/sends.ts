import type { Database } from "better-sqlite3";
import { and, asc, count, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { SendStatus } from "../../domain/outreach/sending.ts";
import type { EngineDue, MailRest, SendFilter, SendPatch, SendRow, Sends } from "../outreach.ts";
import type { Page } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { readFiltered } from "./filtered.ts";
import { mailReceived as m, sends as s } from "../sql/schema/index.ts";

const p = sql.placeholder;
const { workspaceId: _, ...COLUMNS } = getTableColumns(s);
const places = (columns: readonly string[]) => Object.fromEntries(columns.map((name) => [name, p(name)]));

export function prepareSends(db: Drizzle) {
  const mine = eq(s.workspaceId, p("workspaceId"));
  return {
    insert: db
      .insert(s)
      .values(places(Object.keys(getTableColumns(s))) as never)
      .prepare(),
    find: db
      .select(COLUMNS)
      .from(s)
      .where(and(eq(s.id, p("id")), mine))
      .prepare(),
    ofStep: db
      .select(COLUMNS)
      .from(s)
      .where(and(eq(s.enrollmentId, p("enrollmentId")), eq(s.step, p("step")), mine))
      .prepare(),
    thread: db
      .select({ messageId: s.messageId })
      .from(s)
      .where(and(eq(s.enrollmentId, p("enrollmentId")), eq(s.status, "sent"), mine))
      .orderBy(asc(s.step))
      .prepare(),
    /** `statuses|columns|guard` */
    move: memoised((key) => {
      const [from = "", columns = "", guard] = key.split("|");
      const attempt = guard ? eq(s.lastAttemptAt, p("attemptAt")) : undefined;
      return db
        .update(s)
        .set(places(columns.split(",")))
        .where(and(eq(s.id, p("id")), mine, inArray(s.status, from.split(",") as SendStatus[]), attempt))
        .returning(COLUMNS)
        .prepare();
    }),
    countSince: db
      .select({ count: count() })
      .from(s)
      .where(and(mine, sql`${s.lastAttemptAt} >= ${p("since")}`))
      .prepare(),
    pages: memoised((filtered) => {
      const by = filtered.split(",").filter((name): name is keyof SendFilter => name !== "");
      // The status stands in sends_sequence too: the plus keeps it from choosing an index of all sequences.
      const is = (name: keyof SendFilter) =>
        name === "status" && by.includes("sequenceId") ? sql`+${s.status} = ${p(name)}` : eq(s[name], p(name));
      const where = and(mine, ...by.map(is));
      return {
        page: db
          .select(COLUMNS)
          .from(s)
          .where(where)
          .orderBy(desc(s.createdAt), desc(s.id))
          .limit(p("limit"))
          .offset(p("offset"))
          .prepare(),
        total: db.select({ total: count() }).from(s).where(where).prepare(),
      };
    }),
    receive: db
      .insert(m)
      .values(places(["workspaceId", "messageId", "receivedAt"]) as never)
      .onConflictDoNothing()
      .prepare(),
  };
}

export class SqliteSends implements Sends {
  readonly #s: ReturnType<typeof prepareSends>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSends>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(send: SendRow): Promise<void> {
    this.#s.insert.run(this.#mine(send));
  }

  async find(id: string): Promise<SendRow | undefined> {
    return this.#s.find.get(this.#mine({ id }));
  }

  async ofStep(enrollmentId: string, step: number): Promise<SendRow | undefined> {
    return this.#s.ofStep.get(this.#mine({ enrollmentId, step }));
  }

  async thread(enrollmentId: string): Promise<string[]> {
    return this.#s.thread.all(this.#mine({ enrollmentId })).map(({ messageId }) => messageId);
  }

  async move(
    id: string,
    from: readonly SendStatus[],
    status: SendStatus,
    now: number,
    patch: SendPatch = {},
    attemptAt?: number,
  ): Promise<SendRow | undefined> {
    const set = { leaseUntil: null, ...patch, status, updatedAt: now };
    const guard = attemptAt === undefined ? "" : "attempt";
    const key = `${from.join()}|${Object.keys(set).join()}|${guard}`;
    return this.#s.move(key).get(this.#mine({ ...set, id, ...(guard && { attemptAt }) }));
  }

  async countSince(since: number): Promise<number> {
    return this.#s.countSince.get(this.#mine({ since }))?.count ?? 0;
  }

  async list(filter: SendFilter, page: Page): Promise<{ rows: SendRow[]; total: number }> {
    return readFiltered(this.#s.pages, filter, page, this.#workspaceId);
  }

  async receive(messageId: string, now: number): Promise<boolean> {
    return this.#s.receive.run(this.#mine({ messageId, receivedAt: now })).changes === 1;
  }

  #mine(values: object): Record<string, unknown> {
    return { ...values, workspaceId: this.#workspaceId };
  }
}

const REST = "SELECT refusals, began_at AS beganAt, until, detail FROM mail_rests WHERE server = ?";

/** On the writer. */
export function prepareRests(db: Database) {
  const find = db.prepare<[string], MailRest>(REST);
  const begin = db.prepare(
    `INSERT INTO mail_rests VALUES (@server, 1, @now, @now + json_extract(@rests, '$[0]'), @detail)
     ON CONFLICT (server) DO UPDATE SET refusals = refusals + 1, began_at = @now, detail = @detail,
       until = @now + json_extract(@rests, '$[' || min(refusals, json_array_length(@rests) - 1) || ']')
     WHERE began_at < @attemptAt`,
  );
  const end = db.prepare("DELETE FROM mail_rests WHERE server = ? AND began_at < ?");
  return {
    begin(...[server, { rests, ...refusal }, now]: Parameters<EngineDue["beginRest"]>): MailRest {
      begin.run({ server, ...refusal, rests: JSON.stringify(rests), now });
      return find.get(server) as MailRest;
    },
    end(...[server, attemptAt]: Parameters<EngineDue["endRest"]>): void {
      end.run(server, attemptAt);
    },
  };
}

/** On the reader: what the engine looks for. */
export function prepareEngineDue(db: Database): Omit<EngineDue, "keepCursor" | "beginRest" | "endRest"> {
  const sequences = db.prepare<[number], { workspaceId: string; sequenceId: string }>(
    `SELECT s.workspace_id AS workspaceId, s.id AS sequenceId FROM sequences s
     JOIN workspaces w ON w.id = s.workspace_id
     WHERE s.status = 'active' AND w.paused_at IS NULL AND EXISTS (
       SELECT 1 FROM enrollments e
       WHERE e.sequence_id = s.id AND e.status = 'active' AND e.held_reason IS NULL AND e.due_at <= ?)
     ORDER BY s.id`,
  );
  const enrollments = db
    .prepare<[string, number, number], string>(
      `SELECT id FROM enrollments WHERE sequence_id = ? AND status = 'active' AND held_reason IS NULL AND due_at <= ?
       ORDER BY due_at LIMIT ?`,
    )
    .pluck();
  const stale = db.prepare<[number, number], { workspaceId: string; id: string }>(
    `SELECT workspace_id AS workspaceId, id FROM sends WHERE status = 'sending' AND lease_until <= ?
     ORDER BY lease_until LIMIT ?`,
  );
  type Place = { workspaceId: string; id: string };
  const byId = db.prepare<[string], Place>("SELECT workspace_id AS workspaceId, id FROM sends WHERE id = ?");
  const byMessage = db.prepare<[string], Place>(
    "SELECT workspace_id AS workspaceId, id FROM sends WHERE message_id = ? LIMIT 1",
  );
  const cursor = db.prepare<[string], { uidValidity: string; uid: number }>(
    "SELECT uid_validity AS uidValidity, uid FROM mail_cursors WHERE mailbox = ?",
  );
  const rest = db.prepare<[string], MailRest>(REST);
  const firstSend = db
    .prepare<[], number | null>(
      // Of each workspace the first of its index.
      "SELECT min((SELECT min(created_at) FROM sends s WHERE s.workspace_id = w.id)) FROM workspaces w",
    )
    .pluck();
  return {
    firstSendAt: async () => firstSend.get() ?? undefined,
    sequences: async (now) => sequences.all(now),
    enrollments: async (sequenceId, now, most) => enrollments.all(sequenceId, now, most),
    stale: async (now, most) => stale.all(now, most),
    workspaceOf: async (send) => ("id" in send ? byId.get(send.id) : byMessage.get(send.messageId)),
    rest: async (server) => rest.get(server),
    cursor: async (mailbox) => cursor.get(mailbox),
  };
}

/** On the writer. */
export function prepareCursors(db: Database): (...args: Parameters<EngineDue["keepCursor"]>) => void {
  const keep = db.prepare<[string, string, number, number]>(
    `INSERT INTO mail_cursors VALUES (?, ?, ?, ?) ON CONFLICT (mailbox) DO UPDATE SET
       uid_validity = excluded.uid_validity, uid = excluded.uid, updated_at = excluded.updated_at`,
  );
  return (mailbox, { uidValidity, uid }, now) => {
    keep.run(mailbox, uidValidity, uid, now);
  };
}
