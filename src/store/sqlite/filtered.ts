import type { Page } from "../page.ts";

/** The page and the count of one list, prepared for the filters that are given. */
interface Statements<Row> {
  page: { all(bound: Record<string, unknown>): Row[] };
  total: { get(bound: Record<string, unknown>): { total: number } | undefined };
}

/** Reads a page of a workspace's list by whichever filters are given: each set of names has statements of its own. */
export function readFiltered<Row>(
  prepared: (names: string) => Statements<Row>,
  filter: object,
  page: Page,
  workspaceId: string,
): { rows: Row[]; total: number } {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const { page: rows, total } = prepared(given.map(([name]) => name).join());
  const bound = { ...Object.fromEntries(given), workspaceId };
  return { rows: rows.all({ ...bound, ...page }), total: total.get(bound)?.total ?? 0 };
}
