import { and, asc, eq, sql } from "drizzle-orm";
import { emailKey, lowerCase, profileKey } from "../../domain/contacts/address.ts";
import type { SuppressionRow, Suppressions } from "../outreach.ts";
import { hasOpenWorkSql, MAX_SAME_PROFILE } from "./contacts.ts";
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

/** A bounce means a wrong address, not an opt-out. */
const IS_BOUNCE = "s.source = 'engine' AND s.reason = 'bounce'";

/** Contacts who had one address at different times: more than a few are a mistake in the data. */
const MAX_REACHED = 50;

export function suppressions(db: Db): (workspaceId: string) => Suppressions {
  const { orm, dialect } = db;
  const mine = eq(s.workspaceId, p("workspaceId"));
  // A bounce gives way to any opt-out: it is no reason that a person gave.
  const outweighs = sql`${weightOf("suppressions")} = 0
    OR ${p("stated")} = 1 AND ${weightOf("excluded")} >= ${weightOf("suppressions")}`;
  const upsert = db.query(
    orm
      .insert(s)
      .values(newRow(s))
      .onConflictDoUpdate({
        target: [s.workspaceId, s.emailKey],
        set: {
          reason: sql`CASE WHEN ${outweighs} THEN excluded.reason ELSE ${s.reason} END`,
          source: sql`CASE WHEN ${outweighs} THEN excluded.source ELSE ${s.source} END`,
          socialnetKey: sql`coalesce(${s.socialnetKey}, excluded.socialnet_key)`,
        },
      })
      .returning(COLUMNS),
  );
  const has = db.value<{ emailKey: string; workspaceId: string }, 0 | 1>(`SELECT ${isSuppressedSql("@emailKey")}`);
  const among = db.value<Record<"ids" | "workspaceId", string>, string>(
    `SELECT c.id FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId AND ${isSuppressedSql("c.email_key")}`,
  );
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
  // The profile that the opt-out keeps comes first, because no edit changes it. An opt-out without one is found by the
  // profile that its contact has now, oldest contacts first: an agent could add newer ones until it is out of reach.
  const related = db.sql<
    { ids: string; workspaceId: string },
    { id: string; noted: string | null; earlier: string | null; sameProfile: string | null; addresses: string }
  >(
    `SELECT c.id AS id,
       (SELECT metadata FROM activities
        WHERE contact_id = c.id AND type = 'suppressed' ORDER BY seq DESC LIMIT 1) AS noted,
       (SELECT s.email FROM earlier_addresses x
        ${dialect.joinInOrder} suppressions s ON s.workspace_id = c.workspace_id AND s.email_key = x.email_key
        WHERE x.contact_id = c.id AND ${dialect.unindexed("x.workspace_id")} = c.workspace_id
          AND x.email_key IS DISTINCT FROM c.email_key AND NOT (${IS_BOUNCE}) LIMIT 1) AS earlier,
       coalesce(
         (SELECT s.email FROM suppressions s
          WHERE s.workspace_id = c.workspace_id AND s.socialnet_key = c.socialnet_key
            AND s.email_key IS DISTINCT FROM c.email_key LIMIT 1),
         (SELECT s.email FROM contacts o
          ${dialect.joinInOrder} suppressions s ON s.workspace_id = c.workspace_id AND s.email_key = o.email_key
          WHERE o.id <> c.id AND o.seq IN (
            SELECT seq FROM contacts
            WHERE workspace_id = c.workspace_id AND socialnet_key = c.socialnet_key AND archived_at IS NULL
            ORDER BY seq LIMIT ${MAX_SAME_PROFILE}) LIMIT 1)) AS sameProfile,
       (SELECT ${dialect.jsonArray(dialect.jsonObject({ key: "x.email_key" }))} FROM earlier_addresses x
        WHERE x.contact_id = c.id AND ${dialect.unindexed("x.workspace_id")} = c.workspace_id) AS addresses
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId`,
  );
  const reached = db.value<Record<"emailKey" | "workspaceId", string>, string>(
    `SELECT contact_id FROM sends WHERE workspace_id = @workspaceId AND address_key = @emailKey
     UNION SELECT contact_id FROM socialnet_actions
       WHERE workspace_id = @workspaceId AND approved_email_key = @emailKey AND ended_at IS NULL
     LIMIT ${MAX_REACHED}`,
  );
  // Contacts with open work come first. An agent could give the address to others for a moment, to hide them.
  const hadIt = db.value<Record<"emailKey" | "workspaceId", string>, string>(
    `SELECT x.contact_id FROM earlier_addresses x
     WHERE x.workspace_id = @workspaceId AND x.email_key = @emailKey
     ORDER BY ${hasOpenWorkSql(dialect, "x.contact_id")} DESC, x.seq
     LIMIT ${MAX_REACHED}`,
  );
  const anyOpen = db.value<Record<"ids" | "workspaceId", string>, number>(
    `SELECT 1 FROM ${dialect.elements("@ids", "asked")} WHERE ${hasOpenWorkSql(dialect, "asked.value")} LIMIT 1`,
  );
  const all = list(db, COLUMNS, s, mine, asc(s.emailKey));

  return (workspaceId) => ({
    async upsert({ stated, profileUrl = null, ...given }) {
      const address = { email: lowerCase(given.email), emailKey: emailKey(given.email) };
      const socialnetKey = profileUrl === null ? null : profileKey(profileUrl);
      const values = { ...given, ...address, socialnetKey, stated: Number(stated), workspaceId };
      const row = (await upsert.get(values)) as SuppressionRow;
      return { row, added: row.id === given.id };
    },
    async reached(email) {
      const address = { emailKey: emailKey(email), workspaceId };
      return [...new Set([...(await reached.all(address)), ...(await hadIt.all(address))])];
    },
    async anyOpen(contactIds) {
      return (await anyOpen.get({ ids: JSON.stringify(contactIds), workspaceId })) === 1;
    },
    async among(contactIds) {
      return contactIds.length === 0 ? [] : among.all({ ids: JSON.stringify(contactIds), workspaceId });
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
        found.map(({ id, noted, earlier, sameProfile, addresses }) => [
          id,
          {
            noted: JSON.parse(noted ?? "{}"),
            earlier: earlier ?? undefined,
            sameProfile: sameProfile ?? undefined,
            addresses: (JSON.parse(addresses) as { key: string }[]).map(({ key }) => key),
          },
        ]),
      );
    },
    list: (page) => all({ workspaceId }, page),
  });
}
