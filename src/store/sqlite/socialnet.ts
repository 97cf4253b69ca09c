import { and, count, desc, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import { profileKey } from "../../domain/contacts/contact.ts";
import type { Page } from "../page.ts";
import type {
  AccountState,
  Announced,
  ReconnectRequest,
  SocialnetAccountRow,
  SocialnetAccounts,
} from "../socialnet.ts";
import type { Drizzle } from "./connection.ts";
import { socialnetAccounts as a, reconnectRequests as r } from "../sql/schema/index.ts";

const p = sql.placeholder;

const { workspaceId: _, profileKey: __, announced, announcedAt, lookAt: ___, ...ACCOUNT } = getTableColumns(a);

const REQUEST = {
  id: r.id,
  accountId: r.accountId,
  requestedBy: r.requestedBy,
  requestedAt: r.requestedAt,
  acknowledgedAt: r.acknowledgedAt,
  resolvedAt: r.resolvedAt,
};

export function prepareSocialnet(db: Drizzle) {
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const openRequest = and(eq(r.accountId, p("accountId")), eq(r.workspaceId, p("workspaceId")), isNull(r.resolvedAt));
  return {
    db,
    find: db.select(ACCOUNT).from(a).where(one).prepare(),
    list: db
      .select(ACCOUNT)
      .from(a)
      .where(mine)
      .orderBy(desc(a.createdAt), desc(a.id))
      .limit(p("limit"))
      .offset(p("offset"))
      .prepare(),
    total: db.select({ total: count() }).from(a).where(mine).prepare(),
    touch: db
      .update(a)
      .set({ lookAt: p("now") as never })
      .where(one)
      .prepare(),
    touchAll: db
      .update(a)
      .set({ lookAt: p("now") as never })
      .where(mine)
      .prepare(),
    announced: db.select({ announced, announcedAt }).from(a).where(one).prepare(),
    setAnnounced: db
      .update(a)
      .set({
        announced: p("announced") as never,
        announcedAt: p("announcedAt") as never,
        lookAt: p("lookAt") as never,
      })
      .where(one)
      .prepare(),
    openReconnect: db.select(REQUEST).from(r).where(openRequest).prepare(),
    lastReconnect: db
      .select(REQUEST)
      .from(r)
      .where(and(eq(r.accountId, p("accountId")), eq(r.workspaceId, p("workspaceId"))))
      .orderBy(desc(r.requestedAt))
      .limit(1)
      .prepare(),
    // An account of another workspace has nothing here, not even a row.
    requestReconnect: db
      .insert(r)
      .select(
        db
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
      .returning(REQUEST)
      .prepare(),
    acknowledge: db
      .update(r)
      .set({ acknowledgedAt: sql`coalesce(${r.acknowledgedAt}, ${p("now")})` })
      .where(openRequest)
      .returning(REQUEST)
      .prepare(),
    resolve: db
      .update(r)
      .set({ resolvedAt: p("now") as never })
      .where(and(openRequest, isNotNull(r.acknowledgedAt)))
      .returning(REQUEST)
      .prepare(),
  };
}

export class SqliteSocialnetAccounts implements SocialnetAccounts {
  readonly #s: ReturnType<typeof prepareSocialnet>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSocialnet>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async find(id: string): Promise<SocialnetAccountRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async list(page: Page): Promise<{ rows: SocialnetAccountRow[]; total: number }> {
    return {
      rows: this.#s.list.all({ ...page, workspaceId: this.#workspaceId }),
      total: this.#s.total.get({ workspaceId: this.#workspaceId })?.total ?? 0,
    };
  }

  async insert(account: Parameters<SocialnetAccounts["insert"]>[0]): Promise<void> {
    this.#s.db
      .insert(a)
      .values({ ...account, profileKey: keyOf(account.profileUrl), workspaceId: this.#workspaceId })
      .run();
  }

  async update(...[id, settings, now]: Parameters<SocialnetAccounts["update"]>) {
    return this.#s.db
      .update(a)
      .set({ ...settings, profileKey: keyOf(settings.profileUrl), updatedAt: now })
      .where(this.#is(id))
      .returning(ACCOUNT)
      .get();
  }

  async setState(id: string, state: AccountState): Promise<void> {
    this.#s.db.update(a).set(state).where(this.#is(id)).run();
  }

  async touch(id: string | null, now: number): Promise<void> {
    const mine = { now, workspaceId: this.#workspaceId };
    if (id === null) this.#s.touchAll.run(mine);
    else this.#s.touch.run({ ...mine, id });
  }

  async announced(id: string): Promise<Announced> {
    const nothing = { announced: 0, announcedAt: null };
    return this.#s.announced.get({ id, workspaceId: this.#workspaceId }) ?? nothing;
  }

  async setAnnounced(id: string, count: Announced & { lookAt: number | null }): Promise<void> {
    this.#s.setAnnounced.run({ ...count, id, workspaceId: this.#workspaceId });
  }

  async openReconnect(accountId: string): Promise<ReconnectRequest | undefined> {
    return this.#s.openReconnect.get({ accountId, workspaceId: this.#workspaceId });
  }

  async lastReconnect(accountId: string): Promise<ReconnectRequest | undefined> {
    return this.#s.lastReconnect.get({ accountId, workspaceId: this.#workspaceId });
  }

  async requestReconnect(
    ...[{ id: requestId, accountId, ...request }]: Parameters<SocialnetAccounts["requestReconnect"]>
  ): Promise<ReconnectRequest | undefined> {
    return this.#s.requestReconnect.get({ ...request, requestId, id: accountId, workspaceId: this.#workspaceId });
  }

  async acknowledgeReconnect(accountId: string, now: number): Promise<ReconnectRequest | undefined> {
    return this.#s.acknowledge.get({ accountId, now, workspaceId: this.#workspaceId });
  }

  async resolveReconnect(accountId: string, now: number): Promise<ReconnectRequest | undefined> {
    return this.#s.resolve.get({ accountId, now, workspaceId: this.#workspaceId });
  }

  #is(id: string) {
    return and(eq(a.id, id), eq(a.workspaceId, this.#workspaceId));
  }
}

function keyOf(profileUrl: string): string {
  return profileKey(profileUrl) ?? profileUrl;
}
