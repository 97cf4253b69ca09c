/** The contacts of the bench, in the tables of other products. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { RESULTS } from "../build.ts";
import type { Seed } from "../seed.ts";
import { FIELDS as TEXTS } from "../servers/floor-answers.ts";

export const FIELDS = [...TEXTS, "lifecycle", "source"] as const;

export interface Contact extends Record<(typeof FIELDS)[number], string | null> {
  id: string;
  /** A JSON array. */
  tags: string | null;
  created_at: number;
  updated_at: number;
  archived_at: number | null;
}

type Value = string | number | null;

/** Copies every contact of the bench into a table of another product's SQLite file, which must be stopped. */
export function fillTable(
  seed: Seed,
  file: string,
  table: string,
  rowOf: (contact: Contact, n: number) => object,
): void {
  const from = new Database(databaseFile(seed.folder), { readonly: true });
  const to = new Database(file);
  to.pragma("synchronous = OFF");
  const columns = ["id", ...FIELDS, "tags", "created_at", "updated_at", "archived_at"];
  to.exec("BEGIN");
  let n = 0;
  let insert: Database.Statement<[Record<string, Value>]> | undefined;
  for (const contact of from.prepare<[], Contact>(`SELECT ${columns} FROM contacts ORDER BY seq`).iterate()) {
    n += 1;
    const row = rowOf(contact, n) as Record<string, Value>;
    const names = Object.keys(row);
    insert ??= to.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`);
    insert.run(row);
  }
  to.exec("COMMIT; ANALYZE");
  to.close();
  from.close();
}

/** Makes a folder once for each recipe. An interrupted one is made again from its beginning. */
export async function keptFolder(
  name: string,
  recipe: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256").update(recipe).digest("hex").slice(0, 12);
  const folder = join(RESULTS, "peers", `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  await fill(partial);
  renameSync(partial, folder);
  return folder;
}
