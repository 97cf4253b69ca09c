import { and, eq, isNull, sql } from "drizzle-orm";
import { profileKey } from "../../domain/contact.ts";
import type { ReconnectRequest, SocialnetAccountRow, SocialnetAccounts } from "../socialnet.ts";
import type { Drizzle } from "./connection.ts";
import { socialnetAccounts as a, reconnectRequests as r } from "./schema.ts";

const p = sql.placeholder;

const ACCOUNT = {
  id: a.id,
  label: a.label,
  profileUrl: a.profileUrl,
  automationMode: a.automationMode,
  timeZone: a.timeZone,
  windows: a.windows,
  dailyConnectionRequests: a.dailyConnectionRequests,
  dailyMessages: a.dailyMessages,
  createdAt: a.createdAt,
  updatedAt: a.updatedAt,
};

const REQUEST = {
  id: r.id,
  accountId: r.accountId,
  requestedBy: r.requestedBy,
  requestedAt: r.requestedAt,
  acknowledgedAt: r.acknowledgedAt,
  resolvedAt: r.resolvedAt,
};

export function prepareSocialnet(db: Drizzle) {
  return {
    db,
    find: db
      .select(ACCOUNT)
      .from(a)
      .where(and(eq(a.id, p("id")), eq(a.workspaceId, p("workspaceId"))))
      .prepare(),
    openReconnect: db
      .select(REQUEST)
      .from(r)
      .where(and(eq(r.accountId, p("accountId")), eq(r.workspaceId, p("workspaceId")), isNull(r.resolvedAt)))
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

  async insert(account: SocialnetAccountRow): Promise<void> {
    const key = profileKey(account.profileUrl) ?? account.profileUrl;
    this.#s.db
      .insert(a)
      .values({ ...account, profileKey: key, workspaceId: this.#workspaceId })
      .run();
  }

  async openReconnect(accountId: string): Promise<ReconnectRequest | undefined> {
    return this.#s.openReconnect.get({ accountId, workspaceId: this.#workspaceId });
  }

  async requestReconnect(request: Parameters<SocialnetAccounts["requestReconnect"]>[0]): Promise<ReconnectRequest> {
    const { requestedBy, requestedAt } = request;
    return this.#s.db
      .insert(r)
      .values({ ...request, workspaceId: this.#workspaceId })
      .onConflictDoUpdate({
        target: r.accountId,
        targetWhere: isNull(r.resolvedAt),
        set: { requestedBy, requestedAt, acknowledgedAt: null },
      })
      .returning(REQUEST)
      .get();
  }
}
