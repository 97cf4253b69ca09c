import { count, type GetColumnData, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Page } from "../page.ts";
import { type Db, memoized, namesIn, type Params, type Statement } from "./statement.ts";

type Columns = Readonly<Record<string, SQLiteColumn>>;
type RowOf<C extends Columns> = { -readonly [Name in keyof C]: GetColumnData<C[Name]> };

interface Listed<Row> {
  rows: Row[];
  total: number;
}

/** Reads one page of a list, and how many rows all its pages hold. */
export type List<Row> = (params: Params, page: Page) => Promise<Listed<Row>>;

/** The list of two statements that are at hand. */
export function listOf<Row>(rows: Statement<Params, Row>, total: Statement<Params, { total: number }>): List<Row> {
  return async (params, { limit, offset }) => {
    const [found, counted] = await Promise.all([rows.all({ ...params, limit, offset }), total.get(params)]);
    return { rows: found, total: counted?.total ?? 0 };
  };
}

/** The list of the rows of one table that fit a condition. */
export function list<C extends Columns>(
  db: Db,
  columns: C,
  table: SQLiteTable,
  where: SQL | undefined,
  ...order: (SQL | SQLiteColumn)[]
): List<RowOf<C>> {
  return listOf(rowsOf(db, columns, table, where, ...order), countOf(db, table, where));
}

/** The rows of a page of such a list. */
export function rowsOf<C extends Columns>(
  db: Db,
  columns: C,
  table: SQLiteTable,
  where: SQL | undefined,
  ...order: (SQL | SQLiteColumn)[]
): Statement<Params, RowOf<C>> {
  const rows = db.query(
    db.orm
      .select(columns as Columns)
      .from(table)
      .where(where)
      .orderBy(...order)
      .limit(sql.placeholder("limit"))
      .offset(sql.placeholder("offset")),
  );
  return rows as unknown as Statement<Params, RowOf<C>>;
}

type Total = Statement<Params, { total: number }>;

/** How many rows fit a condition. It walks them all. */
function countOf(db: Db, table: SQLiteTable, where: SQL | undefined): Total {
  return db.query(db.orm.select({ total: count() }).from(table).where(where));
}

/** The lists whose rows triggers count, and the filters that they count by. */
const KEPT = {
  enrollments: { part: "sequenceId", status: "status" },
  sends: { part: "sequenceId", status: "status" },
  socialnet_actions: { part: "accountId", status: "status" },
  deals: { part: undefined, status: "stage" },
} as const;

/** The count that triggers keep: as quick for a million rows as for ten. */
export function keptCountOf(db: Db, name: keyof typeof KEPT, filters: readonly string[]): Total {
  const given = filters.map((filter) => ` AND ${filter === KEPT[name].part ? "part" : "status"} = @${filter}`);
  return db.sql(
    `SELECT coalesce(sum(total), 0) AS total FROM list_counts
     WHERE workspace_id = @workspaceId AND list = '${name}'${given.join("")}`,
  );
}

/** The same where it is kept by these filters, or else a count of the rows. */
export function totalOf(
  db: Db,
  name: keyof typeof KEPT,
  filters: readonly string[],
  table: SQLiteTable,
  where: SQL | undefined,
): Total {
  const { part, status } = KEPT[name];
  const isKept = filters.every((filter) => filter === part || filter === status);
  return isKept ? keptCountOf(db, name, filters) : countOf(db, table, where);
}

/** A list with any combination of filters. Each combination has its own statements. */
export function filteredList<Row, Filter extends object>(
  listFor: (names: (keyof Filter & string)[]) => List<Row>,
): (params: Params, filter: Filter, page: Page) => Promise<Listed<Row>> {
  const lists = memoized((key) => listFor(namesIn(key) as (keyof Filter & string)[]));
  return (params, filter, page) => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return lists(given.map(([name]) => name).join())({ ...params, ...Object.fromEntries(given) }, page);
  };
}
