import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { MailDelivery } from "../../domain/outreach/sending.ts";
import type { Sequences } from "../outreach.ts";
import { list } from "./lists.ts";
import { sequences as s } from "./schema/index.ts";
import { type Db, memoized, namesIn, newRow, placeholders } from "./statement.ts";
import { keepWords, recordText } from "./words.ts";

const p = sql.placeholder;

const { seq: _, workspaceId: __, ...WHOLE } = getTableColumns(s);
const { steps: ___, stepsHash: ____, socialnetAccountId: _____, ...LISTED } = WHOLE;

export function sequences(db: Db): (workspaceId: string) => Sequences {
  const { orm, dialect } = db;
  const mine = eq(s.workspaceId, p("workspaceId"));
  const one = and(eq(s.id, p("id")), mine);
  const keep = keepWords(db);
  const insert = db.query(orm.insert(s).values(newRow(s, "seq")));
  const find = db.query(orm.select(WHOLE).from(s).where(one));
  const all = list(db, LISTED, s, mine, desc(s.seq));
  const { id, steps, stepsHash, socialnetAccountId } = WHOLE;
  const pinned = db.query(orm.select({ id, steps, stepsHash, socialnetAccountId }).from(s).where(mine));
  // In JSON text, quotes inside of a text are escaped.
  const emailing = db.sql<{ workspaceId: string }, { delivery: MailDelivery; count: number }>(
    `SELECT delivery, count(*) AS count FROM sequences
     WHERE workspace_id = @workspaceId AND status = 'active' AND steps LIKE '%"type":"email"%' GROUP BY delivery`,
  );
  const channels = db.sql<
    { ids: string; workspaceId: string },
    { id: string; delivery: MailDelivery; emails: number; social: number }
  >(
    `SELECT s.id, s.delivery, CASE WHEN s.steps LIKE '%"type":"email"%' THEN 1 ELSE 0 END AS emails,
       CASE WHEN s.steps LIKE '%"type":"socialnet_%' THEN 1 ELSE 0 END AS social
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} sequences s ON s.id = asked.value
     WHERE s.workspace_id = @workspaceId`,
  );
  const update = memoized((columns) =>
    db.query(
      orm
        .update(s)
        .set(placeholders(...namesIn(columns)))
        .where(one)
        .returning(WHOLE),
    ),
  );

  return (workspaceId) => ({
    async insert(sequence) {
      await insert.run({ ...sequence, workspaceId });
      await keep(workspaceId, "sequence", sequence.id, recordText.sequence(sequence));
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async pinned() {
      return pinned.all({ workspaceId });
    },
    async channels(ids) {
      if (ids.length === 0) return [];
      const rows = await channels.all({ ids: JSON.stringify(ids), workspaceId });
      return rows.map(({ emails, social, ...row }) => ({
        ...row,
        hasEmails: Number(emails) === 1,
        hasSocialSteps: Number(social) === 1,
      }));
    },
    async emailing() {
      const rows = await emailing.all({ workspaceId });
      return { send: 0, files: 0, ...Object.fromEntries(rows.map((row) => [row.delivery, Number(row.count)])) };
    },
    list: (page) => all({ workspaceId }, page),
    async update(id, { now, ...fields }) {
      const set = { ...fields, updatedAt: now };
      const updated = await update(Object.keys(set).join()).get({ ...set, id, workspaceId });
      if (updated !== undefined && fields.name !== undefined) {
        await keep(workspaceId, "sequence", id, recordText.sequence(updated));
      }
      return updated;
    },
  });
}
