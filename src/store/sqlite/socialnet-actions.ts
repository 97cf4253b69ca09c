import { and, count, desc, eq, getTableColumns, gt, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { profileKey } from "../../domain/contacts/contact.ts";
import {
  type ActionKind,
  type ActionMove,
  type ActionStatus,
  MOVES,
  OPEN_ACTION,
  statusAfter,
  statusesBefore,
} from "../../domain/socialnet/action.ts";
import type { Waiting } from "../../domain/socialnet/eligibility.ts";
import type { Page } from "../page.ts";
import type {
  ActionFilter,
  ActionInContext,
  ActionPatch,
  ActionRow,
  MoveGuard,
  SocialnetActions,
  StartRow,
  UnattendedMove,
} from "../socialnet.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { readFiltered } from "./filtered.ts";
import {
  socialnetActions as a,
  contacts as c,
  enrollments as e,
  socialnetAccounts,
  sequences as sq,
  socialnetStarts as st,
} from "../sql/schema/index.ts";

const p = sql.placeholder;

const { workspaceId: _, recipientKey: ___, ...ACTION } = getTableColumns(a);
const { workspaceId: __, ...START } = getTableColumns(st);

const IN_CONTEXT = {
  ...ACTION,
  accountLabel: sql<string>`${socialnetAccounts.label}`.as("account_label"),
  firstName: c.firstName,
  lastName: c.lastName,
  company: c.company,
  sequenceId: sql<string | null>`${sq.id}`.as("sequence_id"),
  sequenceName: sql<string | null>`${sq.name}`.as("sequence_name"),
};

const GUARDS = {
  leaseHash: eq(a.leaseHash, p("guardLeaseHash")),
  leaseRunsAt: gt(a.leaseExpiresAt, p("guardLeaseRunsAt")),
  leaseOverAt: lte(a.leaseExpiresAt, p("guardLeaseOverAt")),
  from: eq(a.status, p("guardFrom")),
} satisfies Record<keyof MoveGuard, SQL>;

/** Asked of the rows that a narrower index found: left to itself, SQLite would walk the whole workspace in order. */
const mineByTheWay = (column: typeof a.workspaceId | typeof st.workspaceId) => sql`+${column} = ${p("workspaceId")}`;

/** The key by which recipients are found goes with their address. */
const keyed = ({ recipientUrl }: ActionPatch) =>
  recipientUrl === undefined ? {} : { recipientKey: profileKey(recipientUrl) ?? recipientUrl };

const isOver = (status: ActionStatus) => Object.keys(MOVES[status]).length === 0;
/** Whoever has this profile, or had it when they were written to: more than a few are a mistake in the data. */
const MOST_RECIPIENTS = 50;

const names = (of: object) => Object.keys(of).join();
const split = (text: string) => text.split(",").filter((name) => name !== "");
const places = (columns: readonly string[]) => Object.fromEntries(columns.map((name) => [name, p(name)]));

export function prepareActions(db: Drizzle) {
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const inContext = (where: SQL | undefined) =>
    db
      .select(IN_CONTEXT)
      .from(a)
      .innerJoin(socialnetAccounts, eq(socialnetAccounts.id, a.accountId))
      .innerJoin(c, eq(c.id, a.contactId))
      .leftJoin(e, eq(e.id, a.enrollmentId))
      .leftJoin(sq, eq(sq.id, e.sequenceId))
      .where(where);
  const openOf = (column: typeof a.contactId | typeof a.enrollmentId) =>
    db
      .select(ACTION)
      .from(a)
      .where(and(eq(column, p("of")), inArray(a.status, [...OPEN_ACTION]), mineByTheWay(a.workspaceId)))
      .prepare();
  return {
    insert: db
      .insert(a)
      .values(places(Object.keys(getTableColumns(a))) as never)
      .prepare(),
    find: db.select(ACTION).from(a).where(one).prepare(),
    findInContext: inContext(one).prepare(),
    pages: memoised((filtered) => {
      const narrow = /accountId|contactId/.test(filtered);
      const where = and(
        narrow ? mineByTheWay(a.workspaceId) : mine,
        ...split(filtered).map((name) => eq(a[name as keyof ActionFilter], p(name))),
      );
      return {
        page: inContext(where).orderBy(desc(a.createdAt), desc(a.id)).limit(p("limit")).offset(p("offset")).prepare(),
        total: db.select({ total: count() }).from(a).where(where).prepare(),
      };
    }),
    /** `move|columns|guards` */
    move: memoised((key) => {
      const [move, columns = "", guards = ""] = key.split("|");
      const before = inArray(a.status, statusesBefore(move as ActionMove));
      return db
        .update(a)
        .set(places(split(columns)))
        .where(and(one, before, ...split(guards).map((name) => GUARDS[name as keyof MoveGuard])))
        .returning(ACTION)
        .prepare();
    }),
    /** `columns|statuses` */
    patch: memoised((key) => {
      const [columns = "", within = ""] = key.split("|");
      return db
        .update(a)
        .set(places(split(columns)))
        .where(and(one, inArray(a.status, split(within) as ActionStatus[])))
        .returning(ACTION)
        .prepare();
    }),
    openOfContact: openOf(a.contactId),
    openOfEnrollment: openOf(a.enrollmentId),
    waiting: db
      .select({ kind: a.kind, origin: a.origin, count: count() })
      .from(a)
      .where(and(eq(a.accountId, p("accountId")), sql`${a.status} = 'approved'`, mineByTheWay(a.workspaceId)))
      .groupBy(a.kind, a.origin)
      .prepare(),
    recipients: db
      .selectDistinct({ contactId: a.contactId })
      .from(a)
      .where(and(eq(a.accountId, p("accountId")), eq(a.recipientKey, p("recipientKey")), mineByTheWay(a.workspaceId)))
      .limit(MOST_RECIPIENTS)
      .prepare(),
    moveUnattended: db
      .update(a)
      .set(places(["status", "updatedAt", "approvedAt", "leaseHash", "leaseExpiresAt"]) as never)
      .where(
        and(
          eq(a.accountId, p("accountId")),
          sql`${a.status} = ${p("from")}`,
          isNull(a.approvedBy),
          mineByTheWay(a.workspaceId),
        ),
      )
      .returning({ id: a.id, copy: a.copy, recipientUrl: a.recipientUrl })
      .prepare(),
    insertStart: db
      .insert(st)
      .values(places([...["leaseHash", "accountId", "actionId", "keyId", "kind", "startedAt"], "workspaceId"]) as never)
      .prepare(),
    findStart: db
      .select(START)
      .from(st)
      .where(
        and(eq(st.leaseHash, p("leaseHash")), eq(st.actionId, p("actionId")), eq(st.workspaceId, p("workspaceId"))),
      )
      .prepare(),
    starts: db
      .select(START)
      .from(st)
      .where(and(eq(st.actionId, p("actionId")), mineByTheWay(st.workspaceId)))
      .orderBy(desc(st.startedAt))
      .limit(p("most"))
      .prepare(),
    recordOutcome: db
      .update(st)
      .set(places(["outcome", "evidence", "statusAfter", "recordedAt"]) as never)
      .where(and(eq(st.leaseHash, p("leaseHash")), eq(st.workspaceId, p("workspaceId")), isNull(st.outcome)))
      .prepare(),
    startsSince: db
      .select({ kind: st.kind, count: count() })
      .from(st)
      .where(
        and(
          eq(st.accountId, p("accountId")),
          mineByTheWay(st.workspaceId),
          inArray(st.kind, ["connection_request", "message"]),
          sql`${st.startedAt} >= ${p("since")}`,
        ),
      )
      .groupBy(st.kind)
      .prepare(),
    allStartsSince: db
      .select({ count: count() })
      .from(st)
      .where(and(eq(st.workspaceId, p("workspaceId")), sql`${st.startedAt} >= ${p("since")}`))
      .prepare(),
  };
}

export class SqliteSocialnetActions implements SocialnetActions {
  readonly #s: ReturnType<typeof prepareActions>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareActions>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(action: ActionRow): Promise<void> {
    this.#s.insert.run(this.#mine({ ...action, ...keyed(action) }));
  }

  async find(id: string): Promise<ActionRow | undefined> {
    return this.#s.find.get(this.#mine({ id }));
  }

  async findInContext(id: string): Promise<ActionInContext | undefined> {
    return this.#s.findInContext.get(this.#mine({ id }));
  }

  async list(filter: ActionFilter, page: Page): Promise<{ rows: ActionInContext[]; total: number }> {
    return readFiltered(this.#s.pages, filter, page, this.#workspaceId);
  }

  async move(
    id: string,
    move: ActionMove,
    now: number,
    patch: ActionPatch = {},
    guard: MoveGuard = {},
  ): Promise<ActionRow | undefined> {
    const status = statusAfter(move);
    const set = { status, updatedAt: now, endedAt: isOver(status) ? now : null, ...patch, ...keyed(patch) };
    const guards = Object.entries(guard).map(([name, value]) => [
      `guard${name[0]?.toUpperCase()}${name.slice(1)}`,
      value,
    ]);
    return this.#s
      .move(`${move}|${names(set)}|${names(guard)}`)
      .get(this.#mine({ ...set, ...Object.fromEntries(guards), id }));
  }

  async patch(
    id: string,
    within: readonly ActionStatus[],
    patch: ActionPatch,
    now: number,
  ): Promise<ActionRow | undefined> {
    const set = { updatedAt: now, ...patch, ...keyed(patch) };
    return this.#s.patch(`${names(set)}|${within.join()}`).get(this.#mine({ ...set, id }));
  }

  async open(of: { contactId: string } | { enrollmentId: string }): Promise<ActionRow[]> {
    return "contactId" in of
      ? this.#s.openOfContact.all(this.#mine({ of: of.contactId }))
      : this.#s.openOfEnrollment.all(this.#mine({ of: of.enrollmentId }));
  }

  async recipients(accountId: string, profileUrl: string): Promise<string[]> {
    const recipientKey = profileKey(profileUrl);
    if (recipientKey === null) return [];
    return this.#s.recipients.all(this.#mine({ accountId, recipientKey })).map(({ contactId }) => contactId);
  }

  async moveUnattended(
    ...[accountId, from, move, now]: Parameters<SocialnetActions["moveUnattended"]>
  ): Promise<UnattendedMove[]> {
    if (!statusesBefore(move).includes(from)) return [];
    const approvedAt = move === "approve" ? now : null;
    const set = { status: statusAfter(move), updatedAt: now, approvedAt, leaseHash: null, leaseExpiresAt: null };
    return this.#s.moveUnattended.all(this.#mine({ ...set, accountId, from }));
  }

  async waiting(accountId: string): Promise<Waiting[]> {
    return this.#s.waiting.all(this.#mine({ accountId }));
  }

  async insertStart(start: Parameters<SocialnetActions["insertStart"]>[0]): Promise<void> {
    this.#s.insertStart.run(this.#mine(start));
  }

  async findStart(actionId: string, leaseHash: Buffer): Promise<StartRow | undefined> {
    return this.#s.findStart.get(this.#mine({ actionId, leaseHash }));
  }

  async starts(actionId: string, most: number): Promise<StartRow[]> {
    return this.#s.starts.all(this.#mine({ actionId, most }));
  }

  async recordOutcome(leaseHash: Buffer, report: Parameters<SocialnetActions["recordOutcome"]>[1]): Promise<boolean> {
    return this.#s.recordOutcome.run(this.#mine({ ...report, leaseHash })).changes === 1;
  }

  async startsSince(accountId: string, since: number): Promise<Record<ActionKind, number>> {
    const none: Record<ActionKind, number> = { connection_request: 0, message: 0 };
    const counted = this.#s.startsSince.all(this.#mine({ accountId, since })).map(({ kind, count }) => [kind, count]);
    return { ...none, ...Object.fromEntries(counted) };
  }

  async allStartsSince(since: number): Promise<number> {
    return this.#s.allStartsSince.get(this.#mine({ since }))?.count ?? 0;
  }

  #mine(values: object): Record<string, unknown> {
    return { ...values, workspaceId: this.#workspaceId };
  }
}
