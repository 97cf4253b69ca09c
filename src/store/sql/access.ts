import {
  and,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ADMINISTRATORS, type Role, type Scope } from "../../domain/access/roles.ts";
import { emailKey } from "../../domain/contacts/address.ts";
import {
  type Invitation,
  type KeyCredential,
  type Keys,
  MemberExists,
  type Members,
  type WorkspaceSettings,
} from "../access.ts";
import type { Store } from "../store.ts";
import { list } from "./lists.ts";
import {
  apiKeys as k,
  members as m,
  notices,
  smtpBackoffs as r,
  oneTimeTokens as t,
  workspaces as w,
} from "./schema/index.ts";
import { MAIL_FROM, mailOf } from "./server-settings.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

const IDENTITY = { id: w.id, name: w.name, createdAt: w.createdAt };
const PLAN = { name: w.plan, contactAllowance: w.contactAllowance, socialnetAllowance: w.socialnetAllowance };
const PAUSE = { pausedAt: w.pausedAt, reason: w.pauseReason };
const SENDING = { timeZone: w.timeZone, windows: w.sendingWindows, dailyCap: w.dailyCap, senderName: w.senderName };
const BILLING = { state: w.billingState, endsAt: w.billingEndsAt };

/** A workspace that is bound to a store exists: its id came from a key, a session or the list. */
function existing<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("The workspace of this call is not in the database.");
  return row;
}

export function workspace(db: Db): (workspaceId: string) => WorkspaceSettings {
  const { orm } = db;
  const mine = eq(w.id, p("workspaceId"));
  const set = (...columns: (keyof ReturnType<typeof getTableColumns<typeof w>>)[]) =>
    db.query(
      orm
        .update(w)
        .set(placeholders(...columns))
        .where(mine),
    );
  const create = db.query(orm.insert(w).values(placeholders("id", "name", "createdAt")));
  const find = db.query(orm.select(IDENTITY).from(w).where(mine));
  const billing = db.query(orm.select(BILLING).from(w).where(mine));
  const findGates = db.query(
    orm
      .select({ ...BILLING, ...SENDING, pausedAt: w.pausedAt })
      .from(w)
      .where(mine),
  );
  const setBilling = set("billingState", "billingEndsAt");
  const plan = db.query(orm.select(PLAN).from(w).where(mine));
  const setPlan = set("plan", "contactAllowance", "socialnetAllowance");
  const sending = db.query(orm.select(SENDING).from(w).where(mine));
  const setSending = set("timeZone", "sendingWindows", "dailyCap", "senderName");
  const mailFrom = db.value<object, string>(MAIL_FROM);
  const mail = mailOf(db);
  const ownProposals = db.query(orm.select({ ownProposals: w.ownProposals }).from(w).where(mine));
  const setOwnProposals = set("ownProposals");
  // There is one row for each mail server, so there are few.
  const smtpBackoffs = db.query(
    orm
      .select({ until: sql<number | null>`max(${r.until})` })
      .from(r)
      .where(gt(r.until, p("now"))),
  );
  const pause = db.query(orm.select(PAUSE).from(w).where(mine));
  const pauseOutreach = db.query(
    orm
      .update(w)
      .set({
        pausedAt: sql`coalesce(${w.pausedAt}, ${p("now")})`,
        pauseReason: sql`coalesce(${p("reason")}, ${w.pauseReason})`,
      })
      .where(mine)
      .returning(PAUSE),
  );
  const resumeOutreach = db.query(
    orm
      .update(w)
      .set({ pausedAt: null, pauseReason: null })
      .where(and(mine, isNotNull(w.pausedAt))),
  );

  return (workspaceId) => ({
    async create(name, now) {
      await create.run({ id: workspaceId, name, createdAt: now });
    },
    async find() {
      return existing(await find.get({ workspaceId }));
    },
    async billing() {
      return existing(await billing.get({ workspaceId }));
    },
    async gates() {
      const { windows, ...gates } = existing(await findGates.get({ workspaceId }));
      return { ...gates, windows: windows ?? [] };
    },
    async setBilling({ state, endsAt }) {
      await setBilling.run({ billingState: state, billingEndsAt: endsAt, workspaceId });
    },
    async plan() {
      return existing(await plan.get({ workspaceId }));
    },
    async setPlan({ name, ...allowances }) {
      await setPlan.run({ ...allowances, plan: name, workspaceId });
    },
    async sendingPolicy() {
      const { windows, ...policy } = existing(await sending.get({ workspaceId }));
      return { ...policy, windows: windows ?? [] };
    },
    async setSendingPolicy({ windows, ...policy }) {
      await setSending.run({ ...policy, sendingWindows: windows, workspaceId });
    },
    async mailFrom() {
      return (await mailFrom.get({})) ?? null;
    },
    ...mail,
    async ownProposals() {
      return existing(await ownProposals.get({ workspaceId })).ownProposals;
    },
    async setOwnProposals(setting) {
      await setOwnProposals.run({ ownProposals: setting, workspaceId });
    },
    async smtpBackoffUntil(now) {
      return (await smtpBackoffs.get({ now }))?.until ?? null;
    },
    async pause() {
      return existing(await pause.get({ workspaceId }));
    },
    async pauseOutreach(reason, now) {
      return existing(await pauseOutreach.get({ reason, now, workspaceId }));
    },
    async resumeOutreach() {
      return (await resumeOutreach.run({ workspaceId })).changes === 1;
    },
  });
}

/** Reads over all workspaces. */
export function workspaces(db: Db): Pick<Store, "workspaces" | "assessmentsDue" | "keysNamed"> {
  const keysNamed = db.sql<{ name: string }, { id: string; workspaceId: string }>(
    "SELECT id, workspace_id AS workspaceId FROM api_keys WHERE id = @name OR prefix = @name",
  );
  const { id, checklistCatalog: catalog, checklistAssessedAt: at } = w;
  const all = db.query(db.orm.select(IDENTITY).from(w).orderBy(w.createdAt, w.id));
  const assessedBy = (condition: SQL | undefined) =>
    db.query(db.orm.select({ id }).from(w).where(condition).orderBy(catalog, at).limit(p("limit")));
  // "Not this catalog" would walk the table: the catalogs below it and above it are two ranges of the index.
  const due = [
    assessedBy(lt(catalog, p("catalogVersion"))),
    assessedBy(gt(catalog, p("catalogVersion"))),
    assessedBy(and(eq(catalog, p("catalogVersion")), lte(at, p("before")))),
  ];
  return {
    async workspaces() {
      return all.all({});
    },
    async keysNamed(name) {
      return keysNamed.all({ name });
    },
    async assessmentsDue(before, catalogVersion, limit) {
      const found: { id: string }[] = [];
      for (const statement of due) found.push(...(await statement.all({ before, catalogVersion, limit })));
      return found.slice(0, limit).map((row) => row.id);
    },
  };
}

const MEMBER = {
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

  const find = db.query(orm.select(MEMBER).from(m).where(one));
  const seat = db.sql<{ id: string; workspaceId: string }, { role: Role; approveOutbound: number }>(
    `SELECT role, approve_outbound AS approveOutbound FROM members
     WHERE id = @id AND workspace_id = @workspaceId AND removed_at IS NULL`,
  );
  const lastVisit = db.query(orm.select({ at: m.visitedBefore }).from(m).where(one));
  const guide = db.query(orm.select({ at: m.guideHiddenAt }).from(m).where(one));
  const hideGuide = db.query(orm.update(m).set(placeholders("guideHiddenAt")).where(one));
  const findByEmail = db.query(
    orm
      .select(MEMBER)
      .from(m)
      .where(and(eq(m.emailKey, p("emailKey")), live)),
  );
  const all = list(db, MEMBER, m, live, desc(m.createdAt), desc(m.id));
  const insert = db.query(orm.insert(m).values(newRow(m, "personId", "visitedAt", "visitedBefore", "guideHiddenAt")));
  const pending = db.sql<{ workspaceId: string; now: number }, { id: string; links: number }>(
    `SELECT m.id, EXISTS (SELECT 1 FROM one_time_tokens t
       WHERE t.member_id = m.id AND t.kind = 'invitation' AND t.expires_at > @now) AS links
     FROM members m WHERE m.workspace_id = @workspaceId AND m.removed_at IS NULL AND m.person_id IS NULL`,
  );
  const findPending = db.query(
    orm
      .select({ id: m.id })
      .from(m)
      .where(and(one, isNull(m.personId))),
  );
  const insertLink = db.query(orm.insert(t).values(newRow(t, "id", "personId")));
  const insertNotice = db.query(orm.insert(notices).values(newRow(notices, "email", "attempts", "leasedBy")));
  const deleteLinks = db.query(orm.delete(t).where(and(eq(t.memberId, p("memberId")), eq(t.kind, "invitation"))));
  const deleteShownLinks = db.query(
    orm.delete(t).where(and(eq(t.memberId, p("memberId")), eq(t.kind, "invitation"), isNotNull(t.shownTo))),
  );
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
    async seat(id) {
      const row = await seat.get({ id, workspaceId });
      return row && { role: row.role, approveOutbound: row.approveOutbound === 1 };
    },
    async lastVisit(id) {
      return (await lastVisit.get({ id, workspaceId }))?.at ?? null;
    },
    async hidesGuide(id) {
      return ((await guide.get({ id, workspaceId }))?.at ?? null) !== null;
    },
    async hideGuide(id, at) {
      await hideGuide.run({ id, guideHiddenAt: at, workspaceId });
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
    async waiting(now) {
      return (await pending.all({ workspaceId, now })).map(({ id, links }) => ({ id, hasLink: Number(links) === 1 }));
    },
    async endShownLinks(id) {
      if ((await findPending.get({ id, workspaceId })) === undefined) return 0;
      return (await deleteShownLinks.run({ memberId: id })).changes;
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

const { workspaceId: _, hash: __, ...KEY } = getTableColumns(k);

/** The lookup that every call begins with: past drizzle's mapping of rows. */
export function findKey(db: Db): (hash: Buffer) => Promise<KeyCredential | undefined> {
  const find = db.sql<{ hash: Buffer }, Omit<KeyCredential, "scopes"> & { scopes: string }>(
    `SELECT id, name, prefix, workspace_id AS workspaceId, scopes, expires_at AS expiresAt, revoked_at AS revokedAt,
       socialnet_account_id AS socialnetAccountId
     FROM api_keys WHERE hash = @hash`,
  );
  return async (hash) => {
    const row = await find.get({ hash });
    return row && { ...row, scopes: scopesOf(row.scopes) };
  };
}

const MAX_SCOPE_SETS = 1_000;
const scopeSets = new Map<string, ReadonlySet<Scope>>();

/** The scopes in a key's column. Few different ones are in use, so each is parsed once. */
function scopesOf(column: string): ReadonlySet<Scope> {
  const known = scopeSets.get(column);
  if (known !== undefined) return known;
  if (scopeSets.size >= MAX_SCOPE_SETS) scopeSets.clear();
  const scopes = new Set(JSON.parse(column) as Scope[]);
  scopeSets.set(column, scopes);
  return scopes;
}

export function keys(db: Db): (workspaceId: string) => Keys {
  const { orm } = db;
  const mine = eq(k.workspaceId, p("workspaceId"));
  const one = and(eq(k.id, p("id")), mine);
  const newest = [desc(k.createdAt), desc(k.id)];
  const lists = {
    all: list(db, KEY, k, mine, ...newest),
    settings: list(db, KEY, k, and(mine, isNull(k.connectorName)), ...newest),
    sign_in: list(db, KEY, k, and(mine, isNotNull(k.connectorName)), ...newest),
  };
  const insert = db.query(orm.insert(k).values(newRow(k)));
  const find = db.query(orm.select(KEY).from(k).where(one));
  const life = db.sql<{ id: string; workspaceId: string }, Pick<KeyCredential, "revokedAt" | "expiresAt">>(
    `SELECT revoked_at AS revokedAt, expires_at AS expiresAt FROM api_keys
     WHERE id = @id AND workspace_id = @workspaceId`,
  );
  const revoke = db.query(
    orm
      .update(k)
      .set(placeholders("revokedAt"))
      .where(and(one, isNull(k.revokedAt))),
  );

  return (workspaceId) => ({
    async insert(key, hash) {
      await insert.run({ ...key, hash, workspaceId });
    },
    list: (page, mintedBy) => lists[mintedBy ?? "all"]({ workspaceId }, page),
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async life(id) {
      return life.get({ id, workspaceId });
    },
    async revoke(id, now) {
      return (await revoke.run({ id, revokedAt: now, workspaceId })).changes === 1;
    },
  });
}
