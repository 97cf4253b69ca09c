import { emailKey } from "../../domain/contacts/address.ts";
import type { Contact } from "../../domain/contacts/contact.ts";
import { searchOf } from "../../domain/text/words.ts";
import { JsonText } from "../../lib/json-text.ts";
import type { ContactFilter, ContactQuery, Contacts, NamedContact } from "../contacts.ts";
import type { Page, Rows, Walked } from "../page.ts";
import { type Dialect, END } from "./dialect.ts";
import { type Db, memoized, namesIn, type Params } from "./statement.ts";
import { finder } from "./words.ts";

/** contact_blocks has a count for each block of this many positions. */
const BLOCK = 1_024;

/**
 * Where an order other than the filter's own index would be walked: up to this many matches are cheaper to fetch by
 * the filter and sort. Beyond it, walking the order meets enough matches soon.
 */
const MAX_SORTED = 2_000;

/** How many rows of an index one page of a walk reads, so that filters that seldom match end it early. */
const MAX_WALKED = 10_000;

/** A contact as the API shows it, written by the engine. */
export function contactJson({ jsonObject, json, isoTime }: Dialect): string {
  return jsonObject({
    id: "contacts.id",
    email: "contacts.email",
    first_name: "contacts.first_name",
    last_name: "contacts.last_name",
    company: "contacts.company",
    job_title: "contacts.job_title",
    phone: "contacts.phone",
    socialnet_url: "contacts.socialnet_url",
    website: "contacts.website",
    lifecycle: "contacts.lifecycle",
    source: "contacts.source",
    tags: json("contacts.tags"),
    created_at: isoTime("contacts.created_at"),
    updated_at: isoTime("contacts.updated_at"),
  });
}

/** The pages of list and query. Each shape of request has its own statements. */
export function contactPages(db: Db) {
  const { dialect } = db;
  const object = contactJson(dialect);

  const pageOf = (where: string, order: string, more = "") =>
    `SELECT ${dialect.sendable(dialect.jsonArray("text"))} AS text, count(*) AS count${more} FROM (
       SELECT ${object} AS text FROM ${where} ORDER BY ${order} LIMIT @limit OFFSET @offset) AS page`;
  const totalOf = "SELECT coalesce(sum(live), 0) FROM contact_sources WHERE workspace_id = @workspaceId";
  const listPage = db.sql<Params, { text: string | Buffer; count: number; total: number }>(
    pageOf(
      `contacts ${dialect.indexedBy("contacts_live")}
         WHERE ${MINE} AND seq < @below`,
      "seq DESC",
      `, (${totalOf}) AS total`,
    ),
  );
  const blocks = db.sql<{ workspaceId: string }, { block: number; live: number }>(
    "SELECT block, live FROM contact_blocks WHERE workspace_id = @workspaceId ORDER BY block DESC",
  );
  const total = db.value<{ workspaceId: string }, number>(totalOf);
  const totalOfSource = db.value<{ workspaceId: string; source: string }, number>(`${totalOf} AND source = @source`);
  // The keys are short, because building and hashing a long one takes 4% of the CPU of a query.
  const queryCount = memoized((key) => {
    const filters = namesIn(key);
    return db.value<Params, number>(`SELECT count(*) FROM ${matching(filters, narrowestIndex(filters) as string)}`);
  });
  const queryPage = memoized((key) => {
    const [sort, direction, index, ...filters] = namesIn(key) as [string, string, string, ...string[]];
    return db.sql<Params, { text: string | Buffer; count: number }>(
      pageOf(matching(filters, index), `${sort} ${direction}, id ${direction}`),
    );
  });
  const matching = (filters: readonly string[], index: string) =>
    `contacts ${dialect.indexedBy(index)} WHERE ${[MINE, ...filters.map((name) => CONDITIONS[name])].join(" AND ")}`;

  async function count(workspaceId: string): Promise<number> {
    return (await total.get({ workspaceId })) ?? 0;
  }

  /** The first position at or after which the offset lies, skipping whole blocks. */
  async function skipTo(workspaceId: string, offset: number): Promise<{ below: number; offset: number }> {
    let start = { below: 0, offset: 0 };
    let left = offset;
    await blocks.iterate({ workspaceId }, ({ block, live }) => {
      if (live > left) {
        start = { below: (block + 1) * BLOCK, offset: left };
        return false;
      }
      left -= live;
      return true;
    });
    return start;
  }

  async function list(workspaceId: string, { limit, offset }: Page): Promise<Rows<Contact>> {
    const start = offset < BLOCK ? { below: Number.MAX_SAFE_INTEGER, offset } : await skipTo(workspaceId, offset);
    const found = await listPage.get({ workspaceId, limit, ...start });
    return { rows: new JsonText(found?.text ?? "[]"), count: found?.count ?? 0, total: found?.total ?? 0 };
  }

  async function query(
    workspaceId: string,
    { filter, sort, direction, limit, offset }: ContactQuery,
  ): Promise<Rows<Contact>> {
    const { email, company, source, updatedSince } = filter;
    const params: Record<string, string | number> = { workspaceId };
    if (email !== undefined) params.email = emailKey(email);
    if (company !== undefined) params.company = company;
    if (source !== undefined) params.source = source;
    if (updatedSince !== undefined) params.since = updatedSince;
    // Without workspaceId, always in the order of the lines above.
    const filters = Object.keys(params).slice(1);

    const narrowest = narrowestIndex(filters);
    const matches = await exactCount(filters, narrowest, params);
    const ordered = sort === "created_at" ? "contacts_created" : "contacts_updated";
    // The narrow index of a filter beats scanning in order, unless there are so many matches that sorting them costs
    // more.
    const filtered = narrowest !== undefined && (matches <= MAX_SORTED || hasOrder(narrowest, sort));
    const index = filtered ? narrowest : ordered;
    params.limit = limit;
    params.offset = offset;
    const found = await queryPage([sort, direction, index, ...filters].join()).get(params);
    return { rows: new JsonText(found?.text ?? "[]"), count: found?.count ?? 0, total: matches };
  }

  async function exactCount(
    filters: readonly string[],
    narrowest: string | undefined,
    params: Record<string, string | number>,
  ): Promise<number> {
    if (narrowest === undefined) return count(params.workspaceId as string);
    if (filters.length === 1 && narrowest === "contacts_source") {
      return (await totalOfSource.get(params as { workspaceId: string; source: string })) ?? 0;
    }
    return (await queryCount(filters.join()).get(params)) ?? 0;
  }

  return { list, query, count };
}

const MINE = "workspace_id = @workspaceId AND archived_at IS NULL";

/** What each filter of a query asks of a contact, by the name of its parameter. */
const CONDITIONS: Readonly<Record<string, string>> = {
  email: "email_key = @email AND email_key IS NOT NULL",
  company: "company = @company AND company IS NOT NULL",
  source: "source = @source",
  since: "updated_at >= @since",
};

/** The index that leaves the fewest rows for these filters, where there are any. */
function narrowestIndex(filters: readonly string[]): string | undefined {
  if (filters.includes("email")) return "contacts_email";
  if (filters.includes("company")) return "contacts_company";
  if (filters.includes("since")) return "contacts_updated";
  if (filters.includes("source")) return "contacts_source";
  return undefined;
}

/** Whether rows read by the index are already in the requested order. */
function hasOrder(index: string, sort: ContactQuery["sort"]): boolean {
  return sort === "created_at"
    ? index === "contacts_company" || index === "contacts_source"
    : index === "contacts_updated";
}

/** Names of more words are compared whole, not split into first and last name. */
const MAX_NAME_WORDS = 6;

/** Search by words, and by prefixes of names: each way to match uses its own index and stops as soon as it has enough. */
export function contactSearch(db: Db) {
  const { dialect } = db;
  const find = finder(db);
  const begins = (column: string, name: string) => {
    const value = dialect.noCaseValue(`@${name}`);
    return `${column} >= ${value} AND ${column} < ${value} || '${END}'`;
  };
  const found = (index: string, condition: string) =>
    `SELECT seq FROM (SELECT seq FROM contacts ${dialect.indexedBy(index)}
       WHERE workspace_id = @workspaceId AND archived_at IS NULL AND ${condition} LIMIT @limit) AS found`;
  const [firstName, lastName] = ["first_name", "last_name"].map(dialect.noCase) as [string, string];
  const byFirst = (condition: string) => found("contacts_first_name", `first_name IS NOT NULL AND ${condition}`);
  const byLast = (condition: string) => found("contacts_last_name", `last_name IS NOT NULL AND ${condition}`);
  const nameBegins = [
    byFirst(begins(firstName, "text")),
    byLast(begins(lastName, "text")),
    byFirst(`${begins(firstName, "first")} AND ${begins(lastName, "last")}`),
  ];
  const shown = db.value<Params, string>(
    `SELECT ${dialect.jsonArray("text")} FROM (
       SELECT ${contactJson(dialect)} AS text FROM contacts
       WHERE workspace_id = @workspaceId AND seq IN (SELECT value FROM ${dialect.numbers("@found")})
       ORDER BY seq DESC) AS page`,
  );
  const named = (matches: readonly string[]) =>
    db.sql<Params, NamedContact & { seq: number }>(
      `SELECT seq, id, first_name, last_name, company FROM contacts WHERE seq IN (${matches.join(" UNION ALL ")})`,
    );
  const ofWholeName = named([
    byFirst(`${firstName} = ${dialect.noCaseValue("@text")} AND last_name IS NULL`),
    byLast(`${lastName} = ${dialect.noCaseValue("@text")} AND first_name IS NULL`),
    byFirst(`${firstName} = ${dialect.noCaseValue("@first")} AND ${lastName} = ${dialect.noCaseValue("@last")}`),
  ]);
  const ofNameBeginning = named(nameBegins);

  async function search(workspaceId: string, text: string, limit: number): Promise<JsonText<Contact[]>> {
    const found = await find(workspaceId).contacts(searchOf(text), limit);
    return new JsonText((await shown.get({ found: JSON.stringify(found.map(({ seq }) => seq)), workspaceId })) ?? "[]");
  }

  async function byName(workspaceId: string, name: string, limit: number): Promise<NamedContact[]> {
    const words = name.trim().split(/\s+/);
    const text = words.join(" ");
    const last = words.length > MAX_NAME_WORDS ? 1 : words.length;
    const splits = words
      .slice(1, last)
      .map((_, i) => ({ first: words.slice(0, i + 1).join(" "), last: words.slice(i + 1).join(" ") }));
    for (const statement of [ofWholeName, ofNameBeginning]) {
      const rows = new Map<number, NamedContact>();
      for (const split of splits.length > 0 ? splits : [{ first: END, last: END }]) {
        const matches = await statement.all({ text, ...split, workspaceId, limit });
        for (const { seq, ...contact } of matches) rows.set(seq, contact);
      }
      const newestFirst = [...rows].sort(([a], [b]) => b - a).map(([, contact]) => contact);
      if (newestFirst.length > 0) return newestFirst.slice(0, limit);
    }
    return [];
  }

  async function byNameBeginning(workspaceId: string, name: string, limit: number): Promise<NamedContact[]> {
    const rows = await ofNameBeginning.all({ text: name, first: END, last: END, workspaceId, limit });
    return [...new Map(rows.map(({ seq, ...contact }) => [seq, contact]))]
      .sort(([a], [b]) => b - a)
      .slice(0, limit)
      .map(([, contact]) => contact);
  }

  return { search, byName, byNameBeginning };
}

/** Which rows are walked, the fewest first. The other filters are asked of each row. */
const WALKS = [
  { by: "accountId", index: "contacts_account_newest" },
  { by: "company", index: "contacts_company" },
  { by: "tag", index: "" },
  { by: "stage", index: "contacts_stage" },
  { by: "source", index: "contacts_source" },
] as const satisfies readonly { by: keyof ContactFilter; index: string }[];

/** Walks live contacts newest first by (created_at, id), on the index of the narrowest filter. */
export function contactWalk(db: Db) {
  const { dialect } = db;
  const conditions = {
    tag: `EXISTS (SELECT 1 FROM ${dialect.elements("contacts.tags")} WHERE value = @tag)`,
    company: "company = @company AND company IS NOT NULL",
    accountId: "account_id = @accountId AND account_id IS NOT NULL",
    stage: "lifecycle = @stage",
    source: "source = @source",
  } as const satisfies Record<keyof ContactFilter, string>;
  const live = "contacts.workspace_id = @workspaceId AND archived_at IS NULL";
  const before = "(contacts.created_at, contacts.id) < (@at, @id)";
  const newest = "ORDER BY contacts.created_at DESC, contacts.id DESC";
  const tagged = `contact_tags t ${dialect.joinInOrder} contacts ON contacts.id = t.contact_id
    WHERE t.workspace_id = @workspaceId AND t.tag = @tag AND (t.created_at, t.contact_id) < (@at, @id) AND ${live}
    ORDER BY t.created_at DESC, t.contact_id DESC`;

  const statement = memoized((names) => {
    const given = namesIn(names) as (keyof ContactFilter)[];
    const narrowest = WALKS.find(({ by }) => given.includes(by));
    const from =
      narrowest?.by === "tag"
        ? tagged
        : `contacts ${dialect.indexedBy(narrowest?.index ?? "contacts_created")}
           WHERE ${[live, ...(narrowest ? [conditions[narrowest.by]] : []), before].join(" AND ")} ${newest}`;
    const asked = given.filter((name) => name !== narrowest?.by).map((name) => conditions[name]);
    return db.sql<Params, { at: number; id: string; text: string | null }>(
      `SELECT contacts.created_at AS at, contacts.id AS id,
         CASE WHEN ${asked.join(" AND ") || "TRUE"} THEN ${contactJson(dialect)} END AS text
       FROM ${from} LIMIT ${MAX_WALKED}`,
    );
  });
  // From one tag to the next greater, each by one look into the index, however many contacts have it.
  const allTags = db.value<{ workspaceId: string; limit: number }, string>(
    `WITH RECURSIVE found (tag) AS (
       SELECT min(tag) FROM contact_tags WHERE workspace_id = @workspaceId
       UNION ALL
       SELECT (SELECT min(tag) FROM contact_tags WHERE workspace_id = @workspaceId AND tag > found.tag)
       FROM found WHERE tag IS NOT NULL
     ) SELECT tag FROM found WHERE tag IS NOT NULL LIMIT @limit`,
  );

  async function walk(
    workspaceId: string,
    ...[filter, { limit, before: start }]: Parameters<Contacts["walk"]>
  ): Promise<Walked<Contact>> {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { at, id } = start ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
    const rows: Contact[] = [];
    let walked = 0;
    let last = { at, id };
    let isFull = false;
    const params = { ...Object.fromEntries(given), workspaceId, at, id };
    await statement(given.map(([name]) => name).join()).iterate(params, (row) => {
      isFull = rows.length === limit;
      if (isFull) return false;
      walked += 1;
      last = { at: row.at, id: row.id };
      if (row.text !== null) rows.push(JSON.parse(row.text) as Contact);
      return true;
    });
    return { rows, next: isFull || walked === MAX_WALKED ? last : null };
  }

  async function tags(workspaceId: string, limit: number): Promise<string[]> {
    return allTags.all({ workspaceId, limit });
  }

  return { walk, tags };
}
