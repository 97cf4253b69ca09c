import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { openBeside } from "./beside.ts";
import { isPostgres } from "./engine-under-test.ts";

function tablesOf(folder: string): (readonly [string, Buffer])[] {
  const db = openBeside(folder);
  try {
    const names: string[] = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    return names.map((name) => {
      const rows = db.prepare(`SELECT t::text FROM ${name} AS t`).pluck().all();
      return [`postgres/${name}`, Buffer.from(rows.join("\n"))] as const;
    });
  } finally {
    db.close();
  }
}

/** The files below a folder, by their relative paths; on PostgreSQL its tables too, as `postgres/<table>`. */
export function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map([
    ...paths.map((path) => [relative(folder, path), readFileSync(path)] as const),
    ...(isPostgres ? tablesOf(folder) : []),
  ]);
}
