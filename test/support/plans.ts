import Database from "better-sqlite3";
import { withDrizzle } from "../../src/store/sqlite/connection.ts";

/** The plan of every statement that is prepared, each parameter given as 1. */
export function plansOf(
  file: string,
  prepareAll: (db: ReturnType<typeof withDrizzle>) => unknown,
): [string, string[]][] {
  const db = new Database(file, { readonly: true });
  const texts: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof db.prepare;
  prepareAll(withDrizzle(db));
  const plans = texts.map((text): [string, string[]] => {
    const names = [...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1]);
    const values = names.length > 0 ? [Object.fromEntries(names)] : Array(text.split("?").length - 1).fill(1);
    const rows = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
    return [text, rows.map(({ detail }) => detail)];
  });
  db.close();
  return plans;
}
