import { type Contact, emailKey } from "../../domain/contacts/contact.ts";
import { JsonText } from "../../lib/json-text.ts";
import type { Drizzle } from "./connection.ts";
import { contactJson } from "./contact-pages.ts";
import { contacts as c } from "../sql/schema/index.ts";

/** Above every text that begins so. */
const END = "\u{10FFFF}";

/** Each way to be found walks an index of its own, and stops as soon as it has enough. */
export function prepareContactSearch(db: Drizzle) {
  const { sql: json } = db.select({ text: contactJson }).from(c).toSQL();
  const object = json.slice("select ".length, json.lastIndexOf(" from "));
  const begins = (column: string, name: string) => `${column} >= @${name} AND ${column} < @${name} || '${END}'`;
  const found = (index: string, condition: string) =>
    `SELECT seq FROM (SELECT seq FROM contacts INDEXED BY ${index}
       WHERE workspace_id = @workspaceId AND archived_at IS NULL AND ${condition} LIMIT @limit)`;
  const ways = [
    found("contacts_email", `email_key IS NOT NULL AND ${begins("email_key", "key")}`),
    found("contacts_first_name", `first_name IS NOT NULL AND ${begins("first_name COLLATE NOCASE", "text")}`),
    found("contacts_last_name", `last_name IS NOT NULL AND ${begins("last_name COLLATE NOCASE", "text")}`),
    found("contacts_company_name", `company IS NOT NULL AND ${begins("company COLLATE NOCASE", "text")}`),
    found(
      "contacts_first_name",
      `first_name IS NOT NULL AND ${begins("first_name COLLATE NOCASE", "first")}
         AND ${begins("last_name COLLATE NOCASE", "last")}`,
    ),
  ];
  const search = db.$client
    .prepare<[Record<string, string | number>], string>(
      `SELECT '[' || coalesce(group_concat(text), '') || ']' FROM (
         SELECT ${object} AS text FROM contacts WHERE seq IN (${ways.join(" UNION ")}) ORDER BY seq DESC LIMIT @limit)`,
    )
    .pluck();

  return (workspaceId: string, text: string, limit: number): JsonText<Contact[]> => {
    const [first = "", ...rest] = text.split(/\s+/);
    const words = { text, key: emailKey(text), first, last: rest.join(" ") };
    // One word has been looked for as a first name already.
    const given = rest.length > 0 ? words : { ...words, first: END };
    return new JsonText(search.get({ ...given, workspaceId, limit }) ?? "[]");
  };
}
