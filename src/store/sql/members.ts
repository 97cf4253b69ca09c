import { and, desc, eq, exists, inArray, isNotNull, isNull, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ADMINISTRATORS } from "../../domain/access/roles.ts";
import { emailKey } from "../../domain/contacts/contact.ts";
import { type Invitation, MemberExists, type Members } from "../access.ts";
import { list } from "./lists.ts";
import { members as m, notices, oneTimeTokens as t } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

const SHOWN = {
  id: m.id,
  email: m.email,
  name: m.name,
  role: m.role,
  approveOutbound: m.approveOutbound,
  createdAt: m.createdAt,
  removedAt: m.removedAt,
};

export function members(db: Db): (workspaceId: string) => Members {
  const { orm, dialect } = db;
  const live = and(eq(m.workspaceId, p("workspaceId")), isNull(m.removedAt));
  const one = and(eq(m.id, p("id")), live);
  const other = alias(m, "other");
  const others = orm
    .select({ id: other.id })
    .from(other)
    .where(
      and(
        eq(other.workspaceId, p("workspaceId")),
        isNull(other.removedAt),
        ne(other.id, p("id")),
        inArray(other.role, ADMINISTRATORS),
        // A member who never accepted the invitation cannot replace one who did.
        or(isNotNull(other.personId), isNull(m.personId)),
      ),
    );
  // The last administrator stays: if two demote each other, one of the writes changes no row.
  const isDispensable = or(notInArray(m.role, ADMINISTRATORS), exists(others)) as SQL;

  const find = db.query(orm.select(SHOWN).from(m).where(one));
  const lastVisit = db.query(orm.select({ at: m.visitedBefore }).from(m).where(one));
  const findByEmail = db.query(
    orm
      .select(SHOWN)
      .from(m)
      .where(and(eq(m.emailKey, p("emailKey")), live)),
  );
  const all = list(db, SHOWN, m, live, desc(m.createdAt), desc(m.id));
  const insert = db.query(orm.insert(m).values(newRow(m, "personId", "visitedAt", "visitedBefore")));
  const pending = db.query(
    orm
      .select({ id: m.id })
      .from(m)
      .where(and(live, isNull(m.personId))),
  );
  const findPending = db.query(
    orm
      .select({ id: m.id })
      .from(m)
      .where(and(one, isNull(m.personId))),
  );
  const insertLink = db.query(orm.insert(t).values(newRow(t, "id", "personId")));
  const insertNotice = db.query(orm.insert(notices).values(newRow(notices, "email", "attempts")));
  const deleteLinks = db.query(orm.delete(t).where(and(eq(t.memberId, p("memberId")), eq(t.kind, "invitation"))));
  const deleteNotices = db.query(orm.delete(notices).where(eq(notices.memberId, p("memberId"))));
  const update = db.query(
    orm
      .update(m)
      .set(placeholders("name", "role", "approveOutbound"))
      .where(and(one, or(sql`${p("role")} IN ${ADMINISTRATORS}`, isDispensable))),
  );
  const remove = db.query(orm.update(m).set(placeholders("removedAt")).where(and(one, isDispensable)));

  async function invite({ memberId, createdAt, expiresAt, ...link }: Invitation, noticeId: string): Promise<void> {
    const invitation = { kind: "invitation", memberId, createdAt, expiresAt };
    await insertLink.run({ ...invitation, ...link });
    await insertNotice.run({ ...invitation, id: noticeId, dueAt: createdAt });
  }

  return (workspaceId) => ({
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async lastVisit(id) {
      return (await lastVisit.get({ id, workspaceId }))?.at ?? null;
    },
    async findByEmail(email) {
      return findByEmail.get({ emailKey: emailKey(email), workspaceId });
    },
    list: (page) => all({ workspaceId }, page),
    async insert(member) {
      try {
        await insert.run({ ...member, emailKey: emailKey(member.email), workspaceId });
      } catch (error) {
        throw dialect.isDuplicate(error, "members.email_key") ? new MemberExists() : error;
      }
    },
    async waiting() {
      return (await pending.all({ workspaceId })).map(({ id }) => id);
    },
    invite,
    async renew(invitation, noticeId) {
      const { memberId } = invitation;
      if ((await findPending.get({ id: memberId, workspaceId })) === undefined) return false;
      await deleteLinks.run({ memberId });
      await deleteNotices.run({ memberId });
      await invite(invitation, noticeId);
      return true;
    },
    async update(id, fields) {
      return (await update.run({ ...fields, id, workspaceId })).changes === 1;
    },
    async remove(id, now) {
      return (await remove.run({ id, removedAt: now, workspaceId })).changes === 1;
    },
  });
}
