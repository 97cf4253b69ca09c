import { and, count, desc, eq, sql } from "drizzle-orm";
import { nameKey } from "../../domain/contacts/account.ts";
import type { AccountFields, AccountRow, Accounts } from "../contacts.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { accounts as a } from "../sql/schema/index.ts";

const p = sql.placeholder;
/** Above every text that begins so. */
const END = "\u{10FFFF}";

const SHOWN = {
  id: a.id,
  name: a.name,
  domain: a.domain,
  website: a.website,
  industry: a.industry,
  createdAt: a.createdAt,
  updatedAt: a.updatedAt,
};
const FIELDS = {
  name: p("name") as never,
  nameKey: p("nameKey") as never,
  domain: p("domain") as never,
  website: p("website") as never,
  industry: p("industry") as never,
  updatedAt: p("updatedAt") as never,
};

export function prepareAccounts(db: Drizzle) {
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const newest = [desc(a.createdAt), desc(a.id)];
  const newestWith = (condition: ReturnType<typeof eq>) =>
    db
      .select(SHOWN)
      .from(a)
      .where(and(condition, mine))
      .orderBy(...newest)
      .limit(1)
      .prepare();
  return {
    exists: db.select({ id: a.id }).from(a).where(one).prepare(),
    find: db.select(SHOWN).from(a).where(one).prepare(),
    findByName: newestWith(eq(a.nameKey, p("nameKey"))),
    findByDomain: newestWith(eq(a.domain, p("domain"))),
    list: db
      .select(SHOWN)
      .from(a)
      .where(mine)
      .orderBy(...newest)
      .limit(p("limit"))
      .offset(p("offset"))
      .prepare(),
    total: db.select({ total: count() }).from(a).where(mine).prepare(),
    search: db.$client.prepare<[{ workspaceId: string; text: string; limit: number }], AccountRow>(
      `SELECT id, name, domain, website, industry, created_at AS createdAt, updated_at AS updatedAt FROM accounts
       WHERE id IN (
         SELECT id FROM (SELECT id FROM accounts INDEXED BY accounts_name_key
           WHERE workspace_id = @workspaceId AND name_key >= @text AND name_key < @text || '${END}' LIMIT @limit)
         UNION
         SELECT id FROM (SELECT id FROM accounts INDEXED BY accounts_domain
           WHERE workspace_id = @workspaceId AND domain >= @text AND domain < @text || '${END}' LIMIT @limit))
       ORDER BY name_key, id LIMIT @limit`,
    ),
    insert: db
      .insert(a)
      .values({ ...FIELDS, id: p("id"), workspaceId: p("workspaceId"), createdAt: p("createdAt") })
      .prepare(),
    update: db.update(a).set(FIELDS).where(one).returning(SHOWN).prepare(),
  };
}

export class SqliteAccounts implements Accounts {
  readonly #s: ReturnType<typeof prepareAccounts>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareAccounts>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async exists(id: string): Promise<boolean> {
    return this.#s.exists.get({ id, workspaceId: this.#workspaceId }) !== undefined;
  }

  async find(id: string): Promise<AccountRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async findByName(name: string): Promise<AccountRow | undefined> {
    return this.#s.findByName.get({ nameKey: nameKey(name), workspaceId: this.#workspaceId });
  }

  async findByDomain(domain: string): Promise<AccountRow | undefined> {
    return this.#s.findByDomain.get({ domain, workspaceId: this.#workspaceId });
  }

  async list(page: Page): Promise<{ rows: AccountRow[]; total: number }> {
    const rows = this.#s.list.all({ ...page, workspaceId: this.#workspaceId });
    return { rows, total: this.#s.total.get({ workspaceId: this.#workspaceId })?.total ?? 0 };
  }

  async search(text: string, limit: number): Promise<AccountRow[]> {
    return this.#s.search.all({ text: nameKey(text), limit, workspaceId: this.#workspaceId });
  }

  async insert(account: AccountRow): Promise<void> {
    this.#s.insert.run({ ...account, nameKey: nameKey(account.name), workspaceId: this.#workspaceId });
  }

  async update(id: string, fields: AccountFields, now: number): Promise<AccountRow | undefined> {
    const set = { ...fields, nameKey: nameKey(fields.name), updatedAt: now };
    return this.#s.update.get({ ...set, id, workspaceId: this.#workspaceId });
  }
}
