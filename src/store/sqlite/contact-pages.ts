import { type SQL, sql } from "drizzle-orm";
import { type Contact, emailKey } from "../../domain/contacts/contact.ts";
import { JsonText } from "../../lib/json-text.ts";
import type { ContactQuery } from "../contacts.ts";
import type { Page, Rows } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { isoTimeSql } from "./rows.ts";
import { contacts as c } from "../sql/schema/index.ts";

/** A contact as the API shows it, written by SQLite. */
export const contactJson: SQL<string> = sql`json_object(
  'id', ${c.id}, 'email', ${c.email}, 'first_name', ${c.firstName}, 'last_name', ${c.lastName},
  'company', ${c.company}, 'job_title', ${c.jobTitle}, 'phone', ${c.phone}, 'socialnet_url', ${c.socialnetUrl},
  'website', ${c.website}, 'lifecycle', ${c.lifecycle}, 'source', ${c.source}, 'tags', json(${c.tags}),
  'created_at', ${isoTimeSql(c.createdAt)}, 'updated_at', ${isoTimeSql(c.updatedAt)})`;

/** contact_blocks counts by `seq >> 10`. */
const BLOCK = 1_024;

/**
 * Where an order other than the filter's own index would be walked: up to this many matches are cheaper to fetch by
 * the filter and sort; beyond it, walking the order meets enough matches soon.
 */
const SORT_AT_MOST = 2_000;

interface Found {
  text: string;
  count: number;
}

type Params = Record<string, string | number>;

/** The statements behind list and query. Every one is built once for each shape of request. */
export function prepareContactPages(db: Drizzle) {
  const { sql: json } = db.select({ text: contactJson }).from(c).toSQL();
  const object = json.slice("select ".length, json.lastIndexOf(" from "));
  const client = db.$client;

  const page = (where: string, order: string) =>
    client.prepare<[Params], Found>(
      `SELECT '[' || coalesce(group_concat(text), '') || ']' AS text, count(*) AS count FROM (
         SELECT ${object} AS text FROM ${where} ORDER BY ${order} LIMIT @limit OFFSET @offset)`,
    );
  const listPage = page(
    "contacts INDEXED BY contacts_live WHERE workspace_id = @workspaceId AND archived_at IS NULL AND seq < @below",
    "seq DESC",
  );
  const blocks = client
    .prepare<[string], [number, number]>(
      "SELECT block, live FROM contact_blocks WHERE workspace_id = ? ORDER BY block DESC",
    )
    .raw();
  const total = client
    .prepare<[string], number>("SELECT coalesce(sum(live), 0) FROM contact_sources WHERE workspace_id = ?")
    .pluck();
  const totalOfSource = client
    .prepare<[string, string], number>(
      "SELECT coalesce(sum(live), 0) FROM contact_sources WHERE workspace_id = ? AND source = ?",
    )
    .pluck();

  const count = (workspaceId: string) => total.get(workspaceId) ?? 0;

  /** The first page position at or after which the offset lies, skipping whole blocks. */
  function skipTo(workspaceId: string, offset: number): { below: number; offset: number } {
    let left = offset;
    for (const [block, live] of blocks.iterate(workspaceId)) {
      if (live > left) return { below: (block + 1) * BLOCK, offset: left };
      left -= live;
    }
    return { below: 0, offset: 0 };
  }

  function list(workspaceId: string, { limit, offset }: Page): Rows<Contact> {
    const start = offset < BLOCK ? { below: Number.MAX_SAFE_INTEGER, offset } : skipTo(workspaceId, offset);
    const found = listPage.get({ workspaceId, limit, ...start }) as Found;
    return { rows: new JsonText(found.text), count: found.count, total: count(workspaceId) };
  }

  const queryPage = memoised((shape) => {
    const { where, order, index } = JSON.parse(shape) as { where: string; order: string; index: string };
    return page(`contacts INDEXED BY ${index} WHERE ${where}`, order);
  });
  const queryCount = memoised((shape) => {
    const { where, index } = JSON.parse(shape) as { where: string; index: string };
    return client.prepare<[Params], number>(`SELECT count(*) FROM contacts INDEXED BY ${index} WHERE ${where}`).pluck();
  });

  function query(workspaceId: string, { filter, sort, direction, limit, offset }: ContactQuery): Rows<Contact> {
    const params: Params = { workspaceId };
    const conditions = ["workspace_id = @workspaceId", "archived_at IS NULL"];
    const add = (condition: string, name: string, value: string | number) => {
      conditions.push(condition);
      params[name] = value;
    };
    if (filter.email !== undefined)
      add("email_key = @email AND email_key IS NOT NULL", "email", emailKey(filter.email));
    if (filter.company !== undefined) add("company = @company AND company IS NOT NULL", "company", filter.company);
    if (filter.source !== undefined) add("source = @source", "source", filter.source);
    if (filter.updatedSince !== undefined) add("updated_at >= @since", "since", filter.updatedSince);
    const where = conditions.join(" AND ");

    const narrowest = narrowestIndex(filter);
    const matches = exactCount(workspaceId, filter, where, narrowest, params);
    const walk = sort === "created_at" ? "contacts_created" : "contacts_updated";
    // The narrow index of a filter beats walking the order, unless its matches are so many that sorting them costs more.
    const filtered = narrowest !== undefined && (matches <= SORT_AT_MOST || hasOrder(narrowest, sort));
    const index = filtered ? narrowest : walk;
    const order = `${sort} ${direction}, id ${direction}`;
    const found = queryPage(JSON.stringify({ where, order, index })).get({ ...params, limit, offset }) as Found;
    return { rows: new JsonText(found.text), count: found.count, total: matches };
  }

  function exactCount(
    workspaceId: string,
    filter: ContactQuery["filter"],
    where: string,
    narrowest: string | undefined,
    params: Params,
  ): number {
    if (narrowest === undefined) return count(workspaceId);
    if (Object.values(filter).filter((value) => value !== undefined).length === 1 && filter.source !== undefined) {
      return totalOfSource.get(workspaceId, filter.source) ?? 0;
    }
    return queryCount(JSON.stringify({ where, index: narrowest })).get(params) ?? 0;
  }

  return { list, query, count };
}

/** The index that leaves the fewest rows for a filter, where there is a filter. */
function narrowestIndex(filter: ContactQuery["filter"]): string | undefined {
  if (filter.email !== undefined) return "contacts_email";
  if (filter.company !== undefined) return "contacts_company";
  if (filter.updatedSince !== undefined) return "contacts_updated";
  if (filter.source !== undefined) return "contacts_source";
  return undefined;
}

/** Whether rows read by the index already come in the order asked for. */
function hasOrder(index: string, sort: ContactQuery["sort"]): boolean {
  return sort === "created_at"
    ? index === "contacts_company" || index === "contacts_source"
    : index === "contacts_updated";
}
