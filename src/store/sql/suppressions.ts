import { and, asc, eq, sql } from "drizzle-orm";
import { emailKey } from "../../domain/contacts/address.ts";
import type { SuppressionRow, Suppressions } from "../outreach.ts";
import { MAX_SAME_PROFILE } from "./contacts.ts";
import { list } from "./lists.ts";
import { suppressions as s } from "./schema/index.ts";
import { type Db, newRow } from "./statement.ts";

const p = sql.placeholder;

const COLUMNS = { id: s.id, email: s.email, reason: s.reason, source: s.source, createdAt: s.createdAt };

/**
 * Whether an address, in the form of emailKey, is on the do-not-contact list of @workspaceId. Every statement that asks
 * this has this text, and code asks `suppressions.has`.
 */
export function isSuppressedSql(email: string): string {
  return `EXISTS (SELECT 1 FROM suppressions
    WHERE suppressions.workspace_id = @workspaceId AND suppressions.email_key = ${email})`;
}

/** A complaint outweighs an unsubscription, that outweighs what people entered, and that outweighs a bounce. */
const weightOf = (row: "excluded" | "suppressions") =>
  sql.raw(
    `CASE WHEN ${row}.source = 'engine' AND ${row}.reason = 'complaint' THEN 3
       WHEN ${row}.source = 'unsubscribe_link' THEN 2
       WHEN ${row}.source = 'engine' AND ${row}.reason = 'bounce' THEN 0 ELSE 1 END`,
  );

export function suppressions(db: Db): (workspaceId: string) => Suppressions {
  const { orm, dialect } = db;
  const mine = eq(s.workspaceId, p("workspaceId"));
  const outweighs = sql`${p("stated")} = 1 AND ${weightOf("excluded")} >= ${weightOf("suppressions")}`;
  const upsert = db.query(
    orm
      .insert(s)
      .values(newRow(s))
      .onConflictDoUpdate({
        target: [s.workspaceId, s.emailKey],
        set: {
          reason: sql`CASE WHEN ${outweighs} THEN excluded.reason ELSE ${s.reason} END`,
          source: sql`CASE WHEN ${outweighs} THEN excluded.source ELSE ${s.source} END`,
        },
      })
      .returning(COLUMNS),
  );
  const has = db.value<{ emailKey: string; workspaceId: string }, 0 | 1>(`SELECT ${isSuppressedSql("@emailKey")}`);
  const find = db.query(
    orm
      .select(COLUMNS)
      .from(s)
      .where(and(mine, eq(s.emailKey, p("emailKey")))),
  );
  // A comma is the character after a plus sign, so the range is all that begins with the mailbox and a plus.
  const similar = db.value<Record<"key" | "base" | "from" | "to" | "domain" | "workspaceId", string>, string>(
    `SELECT email FROM suppressions WHERE workspace_id = @workspaceId AND email_key <> @key AND (email_key = @base
       OR (email_key >= @from AND email_key < @to AND substr(email_key, length(email_key) - length(@domain) + 1) = @domain)) LIMIT 1`,
  );
  // The oldest of a profile first: an agent could add others until the listed one is out of reach.
  const related = db.sql<
    { ids: string; workspaceId: string },
    { id: string; noted: string | null; sameProfile: string | null }
  >(
    `SELECT c.id AS id,
       (SELECT metadata FROM activities
        WHERE contact_id = c.id AND type = 'suppressed' ORDER BY seq DESC LIMIT 1) AS noted,
       (SELECT s.email FROM contacts o
        ${dialect.joinInOrder} suppressions s ON s.workspace_id = c.workspace_id AND s.email_key = o.email_key
        WHERE o.id <> c.id AND o.seq IN (
          SELECT seq FROM contacts
          WHERE workspace_id = c.workspace_id AND socialnet_key = c.socialnet_key AND archived_at IS NULL
          ORDER BY seq LIMIT ${MAX_SAME_PROFILE}) LIMIT 1) AS sameProfile
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId`,
  );
  const all = list(db, COLUMNS, s, mine, asc(s.emailKey));

  return (workspaceId) => ({
    async upsert({ stated, ...given }) {
      const address = { email: given.email.toLowerCase(), emailKey: emailKey(given.email) };
      const values = { ...given, ...address, stated: Number(stated), workspaceId };
      const row = (await upsert.get(values)) as SuppressionRow;
      return { row, added: row.id === given.id };
    },
    async has(email) {
      return (await has.get({ emailKey: emailKey(email), workspaceId })) === 1;
    },
    async find(email) {
      return find.get({ emailKey: emailKey(email), workspaceId });
    },
    async similar(email) {
      const key = emailKey(email);
      const at = key.lastIndexOf("@");
      const [mailbox = ""] = key.slice(0, at).split("+");
      if (at < 0 || mailbox === "") return undefined;
      const [from, to] = [`${mailbox}+`, `${mailbox},`];
      const domain = key.slice(at);
      return similar.get({ key, base: mailbox + domain, from, to, domain, workspaceId });
    },
    async related(contactIds) {
      const found = await related.all({ ids: JSON.stringify(contactIds), workspaceId });
      return new Map(
        found.map(({ id, noted, sameProfile }) => [
          id,
          { noted: JSON.parse(noted ?? "{}"), sameProfile: sameProfile ?? undefined },
        ]),
      );
    },
    list: (page) => all({ workspaceId }, page),
  });
}
