import { and, desc, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import { profileKey } from "../../domain/contacts/address.ts";
import type { SocialnetAccounts } from "../socialnet.ts";
import { list } from "./lists.ts";
import { socialnetAccounts as a, reconnectRequests as r } from "./schema/index.ts";
import { type Db, memoized, namesIn, placeholders } from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, profileKey: __, announced, announcedAt, lookAt: ___, ...ACCOUNT } = getTableColumns(a);
const { workspaceId: ____, ...REQUEST } = getTableColumns(r);

/** What a person sets of an account. */
const SETTINGS = [
  "label",
  "profileUrl",
  "profileKey",
  "automationMode",
  "timeZone",
  "windows",
  "dailyConnectionRequests",
  "dailyMessages",
  "ownerMemberId",
  "updatedAt",
] as const;

export function socialnetAccounts(db: Db): (workspaceId: string) => SocialnetAccounts {
  const { orm } = db;
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const requests = and(eq(r.accountId, p("accountId")), eq(r.workspaceId, p("workspaceId")));
  const openRequest = and(requests, isNull(r.resolvedAt));

  const find = db.query(orm.select(ACCOUNT).from(a).where(one));
  const all = list(db, ACCOUNT, a, mine, desc(a.createdAt), desc(a.id));
  const insert = db.query(orm.insert(a).values(placeholders(...SETTINGS, "id", "workspaceId", "createdAt")));
  const setColumns = memoized((columns) =>
    db.query(
      orm
        .update(a)
        .set(placeholders(...namesIn(columns)))
        .where(one)
        .returning(ACCOUNT),
    ),
  );
  const touch = db.query(orm.update(a).set(placeholders("lookAt")).where(one));
  const touchAll = db.query(orm.update(a).set(placeholders("lookAt")).where(mine));
  const findAnnounced = db.query(orm.select({ announced, announcedAt }).from(a).where(one));
  const setAnnounced = db.query(
    orm
      .update(a)
      .set(placeholders("announced", "announcedAt", "lookAt"))
      .where(one),
  );
  const openReconnect = db.query(orm.select(REQUEST).from(r).where(openRequest));
  const lastReconnect = db.query(orm.select(REQUEST).from(r).where(requests).orderBy(desc(r.requestedAt)).limit(1));
  // Selected from the account, so that one of another workspace gets no row.
  const requestReconnect = db.query(
    orm
      .insert(r)
      .select(
        orm
          .select({
            id: sql`${p("requestId")}`.as("id"),
            workspaceId: a.workspaceId,
            accountId: a.id,
            requestedBy: sql`${p("requestedBy")}`.as("requested_by"),
            requestedAt: sql`${p("requestedAt")}`.as("requested_at"),
            acknowledgedAt: sql`NULL`.as("acknowledged_at"),
            resolvedAt: sql`NULL`.as("resolved_at"),
          } as never)
          .from(a)
          .where(one),
      )
      .onConflictDoUpdate({
        target: r.accountId,
        targetWhere: isNull(r.resolvedAt),
        set: { requestedBy: sql`excluded.requested_by`, requestedAt: sql`excluded.requested_at`, acknowledgedAt: null },
        setWhere: eq(r.workspaceId, p("workspaceId")),
      })
      .returning(REQUEST),
  );
  const acknowledge = db.query(
    orm
      .update(r)
      .set({ acknowledgedAt: sql`coalesce(${r.acknowledgedAt}, ${p("now")})` })
      .where(openRequest)
      .returning(REQUEST),
  );
  const resolve = db.query(
    orm
      .update(r)
      .set(placeholders("resolvedAt"))
      .where(and(openRequest, isNotNull(r.acknowledgedAt)))
      .returning(REQUEST),
  );

  return (workspaceId) => ({
    async find(id) {
      return find.get({ id, workspaceId });
    },
    list: (page) => all({ workspaceId }, page),
    async insert(account) {
      await insert.run({ ...account, profileKey: keyOf(account.profileUrl), workspaceId });
    },
    async update(id, settings, now) {
      const set = { ...settings, profileKey: keyOf(settings.profileUrl), updatedAt: now };
      return setColumns(Object.keys(set).join()).get({ ...set, id, workspaceId });
    },
    async setState(id, state) {
      await setColumns(Object.keys(state).join()).run({ ...state, id, workspaceId });
    },
    async touch(id, now) {
      if (id === null) await touchAll.run({ lookAt: now, workspaceId });
      else await touch.run({ id, lookAt: now, workspaceId });
    },
    async announced(id) {
      return (await findAnnounced.get({ id, workspaceId })) ?? { announced: 0, announcedAt: null };
    },
    async setAnnounced(id, counted) {
      await setAnnounced.run({ ...counted, id, workspaceId });
    },
    async openReconnect(accountId) {
      return openReconnect.get({ accountId, workspaceId });
    },
    async lastReconnect(accountId) {
      return lastReconnect.get({ accountId, workspaceId });
    },
    async requestReconnect({ id: requestId, accountId, ...request }) {
      return requestReconnect.get({ ...request, requestId, id: accountId, workspaceId });
    },
    async acknowledgeReconnect(accountId, now) {
      return acknowledge.get({ accountId, now, workspaceId });
    },
    async resolveReconnect(accountId, now) {
      return resolve.get({ accountId, resolvedAt: now, workspaceId });
    },
  });
}

/** The form in which profile addresses are compared. */
function keyOf(profileUrl: string): string {
  return profileKey(profileUrl) ?? profileUrl;
}
