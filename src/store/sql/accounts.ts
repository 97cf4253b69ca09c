import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { nameKey } from "../../domain/contacts/account.ts";
import type { AccountRow, Accounts } from "../contacts.ts";
import { END } from "./dialect.ts";
import { list } from "./lists.ts";
import { accounts as a } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";
import { keepWords, recordText } from "./words.ts";

const p = sql.placeholder;

const SHOWN = {
  id: a.id,
  name: a.name,
  domain: a.domain,
  website: a.website,
  industry: a.industry,
  createdAt: a.createdAt,
  updatedAt: a.updatedAt,
};
const CHANGING = ["name", "nameKey", "domain", "website", "industry", "updatedAt"] as const;

export function accounts(db: Db): (workspaceId: string) => Accounts {
  const { orm, dialect } = db;
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const newest = [desc(a.createdAt), desc(a.id)];
  const newestWith = (condition: SQL) =>
    db.query(
      orm
        .select(SHOWN)
        .from(a)
        .where(and(condition, mine))
        .orderBy(...newest)
        .limit(p("limit")),
    );
  const exists = db.query(orm.select({ id: a.id }).from(a).where(one));
  const find = db.query(orm.select(SHOWN).from(a).where(one));
  const ofWholeName = newestWith(eq(a.nameKey, p("nameKey")));
  const findByDomain = newestWith(eq(a.domain, p("domain")));
  const all = list(db, SHOWN, a, mine, ...newest);
  const beginning = (column: string, index: string) =>
    `SELECT id FROM (SELECT id FROM accounts ${dialect.indexedBy(index)}
       WHERE workspace_id = @workspaceId AND ${column} >= @text AND ${column} < @text || '${END}' LIMIT @limit) AS found`;
  const among = (ids: string) =>
    db.sql<{ workspaceId: string; text: string; limit: number }, AccountRow>(
      `SELECT id, name, domain, website, industry, created_at AS createdAt, updated_at AS updatedAt FROM accounts
       WHERE id IN (${ids}) ORDER BY name_key, id LIMIT @limit`,
    );
  const nameBegins = beginning("name_key", "accounts_name_key");
  const ofNameBeginning = among(nameBegins);
  const search = among(`${nameBegins} UNION ${beginning("domain", "accounts_domain")}`);
  const keep = keepWords(db);
  const insert = db.query(orm.insert(a).values(newRow(a)));
  const update = db.query(
    orm
      .update(a)
      .set(placeholders(...CHANGING))
      .where(one)
      .returning(SHOWN),
  );

  return (workspaceId) => ({
    async exists(id) {
      return (await exists.get({ id, workspaceId })) !== undefined;
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async byName(name, limit) {
      const text = nameKey(name);
      const whole = await ofWholeName.all({ nameKey: text, limit, workspaceId });
      return whole.length > 0 ? whole : ofNameBeginning.all({ text, limit, workspaceId });
    },
    async findByDomain(domain) {
      return findByDomain.get({ domain, limit: 1, workspaceId });
    },
    list: (page) => all({ workspaceId }, page),
    async search(text, limit) {
      return search.all({ text: nameKey(text), limit, workspaceId });
    },
    async insert(account) {
      await insert.run({ ...account, nameKey: nameKey(account.name), workspaceId });
      await keep(workspaceId, "account", account.id, recordText.account(account));
    },
    async update(id, fields, now) {
      const updated = await update.get({ ...fields, nameKey: nameKey(fields.name), updatedAt: now, id, workspaceId });
      if (updated !== undefined) await keep(workspaceId, "account", id, recordText.account(updated));
      return updated;
    },
  });
}
