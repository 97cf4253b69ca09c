import {
  and,
  count,
  desc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ADMINISTRATORS } from "../../domain/access/roles.ts";
import { emailKey } from "../../domain/contacts/contact.ts";
import { type Invitation, MemberExists, type MemberFields, type MemberRow, type Members } from "../access.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { members as m, notices, oneTimeTokens } from "../sql/schema/index.ts";

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

export function prepareMembers(db: Drizzle) {
  const live = and(eq(m.workspaceId, p("workspaceId")), isNull(m.removedAt));
  const one = and(eq(m.id, p("id")), live);
  const other = alias(m, "other");
  const others = db
    .select({ id: other.id })
    .from(other)
    .where(
      and(
        eq(other.workspaceId, p("workspaceId")),
        isNull(other.removedAt),
        ne(other.id, p("id")),
        inArray(other.role, ADMINISTRATORS),
        // Whoever was invited and never came in cannot take over from somebody who did.
        or(isNotNull(other.personId), isNull(m.personId)),
      ),
    );
  // An administrator ceases to be one only while there is another: two who demote each other leave one.
  const dispensable = or(notInArray(m.role, ADMINISTRATORS), exists(others)) as SQL;
  return {
    db,
    find: db.select(SHOWN).from(m).where(one).prepare(),
    lastVisit: db.select({ at: m.visitedBefore }).from(m).where(one).prepare(),
    findByEmail: db
      .select(SHOWN)
      .from(m)
      .where(and(eq(m.emailKey, p("emailKey")), live))
      .prepare(),
    list: db
      .select(SHOWN)
      .from(m)
      .where(live)
      .orderBy(desc(m.createdAt), desc(m.id))
      .limit(p("limit"))
      .offset(p("offset"))
      .prepare(),
    waiting: db
      .select({ id: m.id })
      .from(m)
      .where(and(live, isNull(m.personId)))
      .prepare(),
    waits: db
      .select({ id: m.id })
      .from(m)
      .where(and(one, isNull(m.personId)))
      .prepare(),
    total: db.select({ total: count() }).from(m).where(live).prepare(),
    update: db
      .update(m)
      .set({ name: p("name") as never, role: p("role") as never, approveOutbound: p("approveOutbound") as never })
      .where(and(one, or(sql`${p("role")} IN ${ADMINISTRATORS}`, dispensable)))
      .prepare(),
    remove: db
      .update(m)
      .set({ removedAt: p("now") as never })
      .where(and(one, dispensable))
      .prepare(),
  };
}

export class SqliteMembers implements Members {
  readonly #s: ReturnType<typeof prepareMembers>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareMembers>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async find(id: string): Promise<MemberRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async lastVisit(id: string): Promise<number | null> {
    return this.#s.lastVisit.get({ id, workspaceId: this.#workspaceId })?.at ?? null;
  }

  async findByEmail(email: string): Promise<MemberRow | undefined> {
    return this.#s.findByEmail.get({ emailKey: emailKey(email), workspaceId: this.#workspaceId });
  }

  async list(page: Page): Promise<{ rows: MemberRow[]; total: number }> {
    return {
      rows: this.#s.list.all({ ...page, workspaceId: this.#workspaceId }),
      total: this.#s.total.get({ workspaceId: this.#workspaceId })?.total ?? 0,
    };
  }

  async insert(member: MemberRow): Promise<void> {
    try {
      this.#s.db
        .insert(m)
        .values({ ...member, emailKey: emailKey(member.email), workspaceId: this.#workspaceId })
        .run();
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      if (code === "SQLITE_CONSTRAINT_UNIQUE" && message?.includes("members.email_key")) throw new MemberExists();
      throw error;
    }
  }

  async invite(invitation: Invitation, noticeId: string): Promise<void> {
    const { memberId, createdAt, expiresAt } = invitation;
    this.#s.db
      .insert(oneTimeTokens)
      .values({ ...invitation, kind: "invitation" })
      .run();
    const notice = { id: noticeId, kind: "invitation", memberId, createdAt, expiresAt, dueAt: createdAt } as const;
    this.#s.db.insert(notices).values(notice).run();
  }

  async waiting(): Promise<string[]> {
    return this.#s.waiting.all({ workspaceId: this.#workspaceId }).map(({ id }) => id);
  }

  async renew(invitation: Invitation, noticeId: string): Promise<boolean> {
    const { memberId } = invitation;
    if (this.#s.waits.get({ id: memberId, workspaceId: this.#workspaceId }) === undefined) return false;
    this.#s.db
      .delete(oneTimeTokens)
      .where(and(eq(oneTimeTokens.memberId, memberId), eq(oneTimeTokens.kind, "invitation")))
      .run();
    this.#s.db.delete(notices).where(eq(notices.memberId, memberId)).run();
    await this.invite(invitation, noticeId);
    return true;
  }

  async update(id: string, fields: MemberFields): Promise<boolean> {
    return this.#s.update.run({ ...fields, id, workspaceId: this.#workspaceId }).changes === 1;
  }

  async remove(id: string, now: number): Promise<boolean> {
    return this.#s.remove.run({ id, now, workspaceId: this.#workspaceId }).changes === 1;
  }
}
