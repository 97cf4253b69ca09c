import { and, count, desc, eq, getTableColumns, gt, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { profileKey, profileTail } from "../../domain/contacts/address.ts";
import type { SequenceStatus } from "../../domain/outreach/sequence.ts";
import {
  type ActionMove,
  type ActionStatus,
  MOVES,
  OPEN_ACTION,
  STATUS_AFTER,
  statusesBefore,
} from "../../domain/socialnet/action.ts";
import type {
  ActionFilter,
  ActionInContext,
  ActionPatch,
  Executions,
  MoveGuard,
  SocialnetActions,
  SocialnetDue,
} from "../socialnet.ts";
import { IS_REPLY } from "./activities.ts";
import { around, type Dialect } from "./dialect.ts";
import { filteredList, listOf, totalOf } from "./lists.ts";
import {
  socialnetActions as a,
  contacts as c,
  enrollments as e,
  socialnetAccounts,
  sequences as sq,
  socialnetStarts as st,
} from "./schema/index.ts";
import { acrossWorkspaces, type Db, memoized, namesIn, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, recipientKey: __, ...ACTION } = getTableColumns(a);
const { workspaceId: ___, ...START } = getTableColumns(st);

const IN_CONTEXT = {
  ...ACTION,
  accountLabel: sql<string>`${socialnetAccounts.label}`.as("account_label"),
  accountProfileUrl: sql<string>`${socialnetAccounts.profileUrl}`.as("account_profile_url"),
  firstName: c.firstName,
  lastName: c.lastName,
  company: c.company,
  sequenceName: sql<string | null>`${sq.name}`.as("sequence_name"),
  sequenceStatus: sql<SequenceStatus | null>`${sq.status}`.as("sequence_status"),
};

const GUARDS = {
  leaseHash: eq(a.leaseHash, p("guardLeaseHash")),
  leaseRunsAt: gt(a.leaseExpiresAt, p("guardLeaseRunsAt")),
  leaseOverAt: lte(a.leaseExpiresAt, p("guardLeaseOverAt")),
  from: eq(a.status, p("guardFrom")),
} satisfies Record<keyof MoveGuard, SQL>;

const LIVE = sql`NOT EXISTS (SELECT 1 FROM ${c} WHERE ${c.id} = ${a.contactId} AND ${c.archivedAt} IS NOT NULL)`;

/** Contacts who have a profile, or had it when they were written to: more than a few are a mistake in the data. */
const MAX_RECIPIENTS = 50;

/** The key by which recipients are found changes with their address. */
const keyed = ({ recipientUrl }: ActionPatch) =>
  recipientUrl === undefined ? {} : { recipientKey: profileKey(recipientUrl) ?? recipientUrl };

/** Moves that approve an action. They pin the address that the contact has then. */
const APPROVING: readonly (ActionMove | undefined)[] = ["approve", "settle_retry"] satisfies ActionMove[];
const EMAIL_NOW = { approvedEmailKey: sql`(SELECT ${c.emailKey} FROM ${c} WHERE ${c.id} = ${a.contactId})` };

const isFinal = (status: ActionStatus) => Object.keys(MOVES[status]).length === 0;
const names = (of: object) => Object.keys(of).join();

/** As `hasReply` says, of values in SQL. */
function hasReplySql(
  { indexedBy, joinInOrder, unindexed }: Dialect,
  is: Record<"contactId" | "accountId" | "recipientKey" | "workspaceId", string>,
): string {
  const isReply = `${unindexed("r.workspace_id")} = ${is.workspaceId} AND r.${IS_REPLY}`;
  const byContact = `activities r ${indexedBy("activities_replies")}`;
  return `(EXISTS (SELECT 1 FROM ${byContact} WHERE r.contact_id = ${is.contactId} AND ${isReply})
    OR EXISTS (SELECT 1 FROM activities r
      WHERE r.workspace_id = ${is.workspaceId} AND r.profile_key = ${is.recipientKey})
    OR EXISTS (SELECT 1 FROM contacts c ${joinInOrder} ${byContact} ON r.contact_id = c.id
      WHERE c.workspace_id = ${is.workspaceId} AND c.socialnet_key = ${is.recipientKey} AND c.archived_at IS NULL
        AND ${isReply})
    OR EXISTS (SELECT 1 FROM socialnet_actions x ${joinInOrder} ${byContact} ON r.contact_id = x.contact_id
      WHERE x.account_id = ${is.accountId} AND x.recipient_key = ${is.recipientKey}
        AND ${unindexed("x.workspace_id")} = ${is.workspaceId} AND ${isReply})
    OR EXISTS (SELECT 1 FROM contacts c WHERE c.id = ${is.contactId} AND c.last_reply_seq IS NOT NULL
      AND ${unindexed("c.workspace_id")} = ${is.workspaceId})
    OR EXISTS (SELECT 1 FROM contacts c
      ${joinInOrder} sends m ON m.workspace_id = c.workspace_id AND m.address_key = c.email_key
      ${joinInOrder} ${byContact} ON r.contact_id = m.contact_id
      WHERE c.id = ${is.contactId} AND ${unindexed("c.workspace_id")} = ${is.workspaceId} AND ${isReply}))`;
}

export function socialnetActions(db: Db): (workspaceId: string) => SocialnetActions {
  const { orm, dialect } = db;
  const mine = eq(a.workspaceId, p("workspaceId"));
  /** Asked of the rows that a narrower index found: left to itself, SQLite would walk the whole workspace in order. */
  const mineUnindexed = (table: { workspaceId: SQLiteColumn }) =>
    sql`${around(dialect.unindexed, table.workspaceId)} = ${p("workspaceId")}`;
  const one = and(eq(a.id, p("id")), mine);
  const inContext = (where: SQL | undefined) =>
    orm
      .select(IN_CONTEXT)
      .from(a)
      .innerJoin(socialnetAccounts, eq(socialnetAccounts.id, a.accountId))
      .innerJoin(c, eq(c.id, a.contactId))
      .leftJoin(sq, eq(sq.id, a.sequenceId))
      .where(where);
  const openOf = (column: SQLiteColumn) =>
    db.query(
      orm
        .select(ACTION)
        .from(a)
        .where(and(eq(column, p("of")), inArray(a.status, [...OPEN_ACTION]), mineUnindexed(a))),
    );

  const insert = db.query(orm.insert(a).values(newRow(a)));
  const find = db.query(orm.select(ACTION).from(a).where(one));
  const findInContext = db.query(inContext(one));
  const pages = filteredList<ActionInContext, ActionFilter>((filters) => {
    const isNarrow = filters.includes("accountId") || filters.includes("contactId");
    const given = filters.filter((name) => name !== "live").map((name) => eq(a[name], p(name)));
    const where = and(isNarrow ? mineUnindexed(a) : mine, ...given, filters.includes("live") ? LIVE : undefined);
    const found = inContext(where).orderBy(desc(a.createdAt), desc(a.id));
    return listOf(
      db.query(found.limit(p("limit")).offset(p("offset"))),
      totalOf(db, "socialnet_actions", filters, a, where),
    );
  });
  /** By `move|columns|guards`. */
  const move = memoized((key) => {
    const [to, columns = "", guards = ""] = key.split("|");
    const before = inArray(a.status, statusesBefore(to as ActionMove));
    const set: object = placeholders(...namesIn(columns));
    const pinned = APPROVING.includes(to as ActionMove) ? EMAIL_NOW : {};
    return db.query(
      orm
        .update(a)
        .set({ ...set, ...pinned })
        .where(and(one, before, ...namesIn(guards).map((name) => GUARDS[name as keyof MoveGuard])))
        .returning(ACTION),
    );
  });
  /** By `columns|statuses`. */
  const patchWithin = memoized((key) => {
    const [columns = "", within = ""] = key.split("|");
    return db.query(
      orm
        .update(a)
        .set(placeholders(...namesIn(columns)))
        .where(and(one, inArray(a.status, namesIn(within) as ActionStatus[])))
        .returning(ACTION),
    );
  });
  const openOfContact = openOf(a.contactId);
  const openOfEnrollment = openOf(a.enrollmentId);
  const openOfAccount = openOf(a.accountId);
  const openOfSequence = db.query(
    orm
      .select(ACTION)
      .from(a)
      .innerJoin(e, eq(e.id, a.enrollmentId))
      .where(
        and(
          mine,
          inArray(a.status, [...OPEN_ACTION]),
          eq(e.workspaceId, p("workspaceId")),
          eq(e.sequenceId, p("sequenceId")),
        ),
      ),
  );
  // Read once for each sequence, and not for each of its actions.
  const sequenceStatus =
    sql<SequenceStatus | null>`(SELECT ${sq.status} FROM ${sq} WHERE ${sq.id} = ${a.sequenceId})`.as("sequence_status");
  const waiting = db.query(
    orm
      .select({ kind: a.kind, origin: a.origin, sequenceStatus, count: count() })
      .from(a)
      .where(and(eq(a.accountId, p("accountId")), sql`${a.status} = 'approved'`, mineUnindexed(a)))
      .groupBy(a.kind, a.origin, a.sequenceId),
  );
  const recipientsAmong = (among: SQL) =>
    db.query(
      orm
        .selectDistinct({ contactId: a.contactId })
        .from(a)
        .where(and(eq(a.accountId, p("accountId")), eq(a.recipientKey, p("recipientKey")), mineUnindexed(a), among))
        .limit(MAX_RECIPIENTS),
    );
  const isExact = sql`${sql.raw(dialect.profileTail("socialnet_actions.recipient_url"))} = ${p("tail")}`;
  const [exactly, otherwise] = [recipientsAmong(isExact), recipientsAmong(sql`NOT ${isExact}`)];
  const hasReply = db.value<Record<"contactId" | "accountId" | "recipientKey" | "workspaceId", string>, number>(
    `SELECT 1 FROM socialnet_accounts s WHERE s.id = @accountId AND s.workspace_id = @workspaceId AND ${hasReplySql(
      dialect,
      {
        contactId: "@contactId",
        accountId: "@accountId",
        recipientKey: "@recipientKey",
        workspaceId: "@workspaceId",
      },
    )}`,
  );
  const unattended: object = placeholders("status", "updatedAt", "approvedAt", "leaseHash", "leaseExpiresAt");
  const unattendedMove = (among: SQL | undefined) =>
    orm
      .update(a)
      // Also where it takes the approval back: the next approval pins the address again.
      .set({ ...unattended, ...EMAIL_NOW })
      .where(
        and(
          eq(a.accountId, p("accountId")),
          sql`${a.status} = ${p("from")}`,
          isNull(a.approvedBy),
          mineUnindexed(a),
          among,
          sql`NOT (${p("isApproval")} AND (${a.origin} = 'member' OR ${a.editedById} IS NOT NULL) AND ${sql.raw(
            hasReplySql(dialect, {
              contactId: "socialnet_actions.contact_id",
              accountId: "socialnet_actions.account_id",
              recipientKey: "socialnet_actions.recipient_key",
              workspaceId: "socialnet_actions.workspace_id",
            }),
          )})`,
        ),
      )
      .returning({ id: a.id, copy: a.copy, recipientUrl: a.recipientUrl });
  const moveUnattended = db.query(unattendedMove(undefined));
  const moveNamed = db.query(unattendedMove(sql`${a.id} IN (SELECT value FROM ${around(dialect.elements, p("ids"))})`));
  const ofLease = and(eq(st.leaseHash, p("leaseHash")), eq(st.workspaceId, p("workspaceId")));
  const insertStart = db.query(orm.insert(st).values(newRow(st, "outcome", "evidence", "statusAfter", "recordedAt")));
  const findStart = db.query(
    orm
      .select(START)
      .from(st)
      .where(and(ofLease, eq(st.actionId, p("actionId")))),
  );
  const starts = db.query(
    orm
      .select(START)
      .from(st)
      .where(and(eq(st.actionId, p("actionId")), mineUnindexed(st)))
      .orderBy(desc(st.startedAt))
      .limit(p("most")),
  );
  const ofAction = `socialnet_starts s WHERE s.action_id = asked.value
    AND ${dialect.unindexed("s.workspace_id")} = @workspaceId`;
  const executions = db.sql<{ actionIds: string; workspaceId: string }, Executions & { id: string }>(
    `SELECT asked.value AS id, (SELECT count(*) FROM ${ofAction}) AS started,
       (SELECT count(s.recorded_at) FROM ${ofAction}) AS reported
     FROM ${dialect.elements("@actionIds", "asked")}`,
  );
  const recordOutcome = db.query(
    orm
      .update(st)
      .set(placeholders("outcome", "evidence", "statusAfter", "recordedAt"))
      .where(and(ofLease, isNull(st.outcome))),
  );
  const startsSince = db.query(
    orm
      .select({ kind: st.kind, count: count() })
      .from(st)
      .where(
        and(
          eq(st.accountId, p("accountId")),
          mineUnindexed(st),
          inArray(st.kind, ["connection_request", "message"]),
          sql`${st.startedAt} >= ${p("since")}`,
        ),
      )
      .groupBy(st.kind),
  );
  const allStartsSince = db.query(
    orm
      .select({ count: count() })
      .from(st)
      .where(and(eq(st.workspaceId, p("workspaceId")), sql`${st.startedAt} >= ${p("since")}`)),
  );

  return (workspaceId) => ({
    async insert(action) {
      await insert.run({ ...action, ...keyed(action), workspaceId });
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async findInContext(id) {
      return findInContext.get({ id, workspaceId });
    },
    list: (filter, page) => pages({ workspaceId }, filter, page),
    async move(id, to, now, patch = {}, guard = {}) {
      const status = STATUS_AFTER[to];
      const set = { status, updatedAt: now, endedAt: isFinal(status) ? now : null, ...patch, ...keyed(patch) };
      const guards = Object.entries(guard).map(([name, value]) => [
        `guard${name[0]?.toUpperCase()}${name.slice(1)}`,
        value,
      ]);
      const params = { ...set, ...Object.fromEntries(guards), id, workspaceId };
      return move(`${to}|${names(set)}|${names(guard)}`).get(params);
    },
    async patch(id, within, patch, now) {
      const set = { updatedAt: now, ...patch, ...keyed(patch) };
      return patchWithin(`${names(set)}|${within.join()}`).get({ ...set, id, workspaceId });
    },
    async open(of) {
      return "contactId" in of
        ? openOfContact.all({ of: of.contactId, workspaceId })
        : openOfEnrollment.all({ of: of.enrollmentId, workspaceId });
    },
    async openOfSequence(sequenceId) {
      return openOfSequence.all({ sequenceId, workspaceId });
    },
    async openOf(accountId) {
      return openOfAccount.all({ of: accountId, workspaceId });
    },
    async recipients(accountId, profileUrl) {
      const recipientKey = profileKey(profileUrl);
      if (recipientKey === null) return [];
      const profile = { accountId, recipientKey, tail: profileTail(profileUrl), workspaceId };
      const found = [...(await exactly.all(profile)), ...(await otherwise.all(profile))];
      return [...new Set(found.map(({ contactId }) => contactId))];
    },
    async hasReply({ contactId, accountId, recipientUrl }) {
      const recipientKey = profileKey(recipientUrl) ?? recipientUrl;
      return (await hasReply.get({ contactId, accountId, recipientKey, workspaceId })) === 1;
    },
    async moveUnattended(accountId, from, to, now, ids) {
      if (!statusesBefore(to).includes(from)) return [];
      const approvedAt = to === "approve" ? now : null;
      const set = { status: STATUS_AFTER[to], updatedAt: now, approvedAt, leaseHash: null, leaseExpiresAt: null };
      const isApproval = Number(to === "approve");
      const params = { ...set, accountId, from, isApproval, workspaceId };
      return ids === undefined ? moveUnattended.all(params) : moveNamed.all({ ...params, ids: JSON.stringify(ids) });
    },
    async waiting(accountId) {
      return waiting.all({ accountId, workspaceId });
    },
    async insertStart(start) {
      await insertStart.run({ ...start, workspaceId });
    },
    async findStart(actionId, leaseHash) {
      return findStart.get({ actionId, leaseHash, workspaceId });
    },
    async starts(actionId, most) {
      return starts.all({ actionId, most, workspaceId });
    },
    async executions(actionIds) {
      const found = await executions.all({ actionIds: JSON.stringify(actionIds), workspaceId });
      return new Map(found.filter(({ started }) => started > 0).map(({ id, ...counts }) => [id, counts]));
    },
    async recordOutcome(leaseHash, report) {
      return (await recordOutcome.run({ ...report, leaseHash, workspaceId })).changes === 1;
    },
    async startsSince(accountId, since) {
      const counted = await startsSince.all({ accountId, since, workspaceId });
      const byKind = Object.fromEntries(counted.map(({ kind, count: started }) => [kind, started]));
      return { connection_request: 0, message: 0, ...byKind };
    },
    async allStartsSince(since) {
      return (await allStartsSince.get({ since, workspaceId }))?.count ?? 0;
    },
  });
}

// Alone: it locks the accounts of all workspaces, in an order of its own.
export const socialnetDue = acrossWorkspaces<SocialnetDue>({ durable: [], alone: ["countAll"] }, (db) => {
  type Due = { workspaceId: string; id: string };
  const expiredLeases = db.sql<{ now: number; most: number }, Due>(
    `SELECT workspace_id AS workspaceId, id FROM socialnet_actions
     WHERE status IN ('claimed', 'started') AND lease_expires_at <= @now ORDER BY lease_expires_at LIMIT @most`,
  );
  const toCount = db.sql<{ now: number; most: number }, Due>(
    `SELECT workspace_id AS workspaceId, id FROM socialnet_accounts
     WHERE look_at IS NOT NULL AND look_at <= @now ORDER BY look_at LIMIT @most`,
  );
  const countAll = db.sql("UPDATE socialnet_accounts SET look_at = @now");
  return {
    async expiredLeases(now, most) {
      return expiredLeases.all({ now, most });
    },
    async toCount(now, most) {
      return toCount.all({ now, most });
    },
    async countAll(now) {
      await countAll.run({ now });
    },
  };
});
