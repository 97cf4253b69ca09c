import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { generatedPart, postgresDdl } from "../../scripts/postgres-ddl.ts";

const folderOf = (engine: string) => new URL(`../../src/store/${engine}/migrations/`, import.meta.url);
const migrationsOf = (engine: string) => readdirSync(folderOf(engine)).filter((file) => file.endsWith(".sql"));
const read = (engine: string, file: string) => readFileSync(new URL(file, folderOf(engine)), "utf8");

test("each migration of SQLite has its counterpart of PostgreSQL, with the same tables, columns and indexes", () => {
  const files = migrationsOf("sqlite");
  assert.deepEqual(migrationsOf("postgres"), files);
  for (const file of files) {
    const expected = postgresDdl(generatedPart(read("sqlite", file)));
    assert.equal(read("postgres", file).slice(0, expected.length), expected, file);
  }
});
