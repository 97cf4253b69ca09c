import type { Contact } from "../../domain/contacts/contact.ts";
import type { ContactFilter, Contacts } from "../contacts.ts";
import type { Walked } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { contactJson } from "./contact-pages.ts";
import { contacts as c } from "../sql/schema/index.ts";

/** How many rows of an index one page looks at: filters that seldom meet end it early, with the place to go on from. */
const LOOK = 10_000;

type Params = Record<string, string | number>;

const CONDITIONS = {
  tag: "EXISTS (SELECT 1 FROM json_each(contacts.tags) WHERE value = @tag)",
  company: "company = @company AND company IS NOT NULL",
  accountId: "account_id = @accountId AND account_id IS NOT NULL",
  stage: "lifecycle = @stage",
  source: "source = @source",
} as const satisfies Record<keyof ContactFilter, string>;

type Name = keyof typeof CONDITIONS;

/** Whose rows are walked, the fewest first; the other filters are asked of each row. */
const WAYS: readonly { by: Name; index: string }[] = [
  { by: "accountId", index: "contacts_account_newest" },
  { by: "company", index: "contacts_company" },
  { by: "tag", index: "" },
  { by: "stage", index: "contacts_stage" },
  { by: "source", index: "contacts_source" },
];

/** Walks live contacts newest first by (created_at, id), on the index of the narrowest filter. */
export function prepareContactWalk(db: Drizzle) {
  const { sql: json } = db.select({ text: contactJson }).from(c).toSQL();
  const object = json.slice("select ".length, json.lastIndexOf(" from "));
  const live = "contacts.workspace_id = @workspaceId AND archived_at IS NULL";
  const before = "(contacts.created_at, contacts.id) < (@at, @id)";
  const newest = "ORDER BY contacts.created_at DESC, contacts.id DESC";

  const tagged = `contact_tags t CROSS JOIN contacts ON contacts.id = t.contact_id
    WHERE t.workspace_id = @workspaceId AND t.tag = @tag AND (t.created_at, t.contact_id) < (@at, @id) AND ${live}
    ORDER BY t.created_at DESC, t.contact_id DESC`;

  const statement = memoised((names) => {
    const given = names.split(",").filter((name): name is Name => name !== "");
    const way = WAYS.find(({ by }) => given.includes(by));
    const from =
      way?.by === "tag"
        ? tagged
        : `contacts INDEXED BY ${way?.index ?? "contacts_created"}
           WHERE ${[live, ...(way ? [CONDITIONS[way.by]] : []), before].join(" AND ")} ${newest}`;
    const asked = given.filter((name) => name !== way?.by).map((name) => CONDITIONS[name]);
    return db.$client
      .prepare<[Params], [number, string, string | null]>(
        `SELECT contacts.created_at, contacts.id, iif(${asked.join(" AND ") || "TRUE"}, ${object}, NULL)
         FROM ${from} LIMIT ${LOOK}`,
      )
      .raw();
  });

  const walk = (workspaceId: string, ...[filter, page]: Parameters<Contacts["walk"]>): Walked<Contact> => {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { at, id } = page.before ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
    const rows: Contact[] = [];
    let looked = 0;
    let last = { at, id };
    const found = statement(given.map(([name]) => name).join());
    for (const [createdAt, contactId, text] of found.iterate({ ...Object.fromEntries(given), workspaceId, at, id })) {
      if (rows.length === page.limit) return { rows, next: last };
      looked += 1;
      last = { at: createdAt, id: contactId };
      if (text !== null) rows.push(JSON.parse(text) as Contact);
    }
    return { rows, next: looked === LOOK ? last : null };
  };

  // From one tag to the next greater, each by one look into the index: however many contacts have it.
  const allTags = db.$client
    .prepare<[{ workspaceId: string; limit: number }], string>(
      `WITH RECURSIVE known (tag) AS (
         SELECT min(tag) FROM contact_tags WHERE workspace_id = @workspaceId
         UNION ALL
         SELECT (SELECT min(tag) FROM contact_tags WHERE workspace_id = @workspaceId AND tag > known.tag)
         FROM known WHERE tag IS NOT NULL
       ) SELECT tag FROM known WHERE tag IS NOT NULL LIMIT @limit`,
    )
    .pluck();
  const tags = (workspaceId: string, limit: number) => allTags.all({ workspaceId, limit });

  return { walk, tags };
}
