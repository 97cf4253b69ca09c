import { and, desc, eq, gte, isNull, sql } from "drizzle-orm";
import type { BantAssessments, Meetings } from "../contacts.ts";
import { bantAssessments as b, meetings as m } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

export function meetings(db: Db): (workspaceId: string) => Meetings {
  const { orm } = db;
  const newestOpen = orm
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.contactId, p("contactId")), isNull(m.confirmedAt), eq(m.workspaceId, p("workspaceId"))))
    .orderBy(desc(m.createdAt), desc(m.id))
    .limit(1);
  const insert = db.query(orm.insert(m).values(newRow(m)));
  const booked = db.query(
    orm
      .select({ id: m.id, contactId: m.contactId, createdAt: m.createdAt })
      .from(m)
      .where(and(eq(m.workspaceId, p("workspaceId")), isNull(m.confirmedAt), gte(m.createdAt, p("since"))))
      .orderBy(desc(m.createdAt))
      .limit(p("limit")),
  );
  const confirmNewest = db.query(
    orm
      .update(m)
      .set(placeholders("heldOn", "note", "confirmedBy", "confirmedAt"))
      .where(eq(m.id, newestOpen))
      .returning(),
  );

  return (workspaceId) => ({
    async insert(meeting) {
      await insert.run({ ...meeting, workspaceId });
    },
    async booked(since, limit) {
      return booked.all({ since, limit, workspaceId });
    },
    async confirmNewest(contactId, { now, ...confirmation }) {
      const row = await confirmNewest.get({ ...confirmation, confirmedAt: now, contactId, workspaceId });
      if (row === undefined) return undefined;
      const { workspaceId: _, ...meeting } = row;
      return meeting;
    },
  });
}

export function bant(db: Db): (workspaceId: string) => BantAssessments {
  const insert = db.query(db.orm.insert(b).values(newRow(b)));
  return (workspaceId) => ({
    async insert(assessment) {
      await insert.run({ ...assessment, workspaceId });
    },
  });
}
