import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { generatedPart, postgresDdl } from "./postgres-ddl.ts";

/**
 * Writes the next migration from the schema: `npm run migration -- <name>`. The generator does not know STRICT
 * tables, so the word is added to every table it creates. PostgreSQL's counterpart is written from it: what drizzle does
 * by copying a table, and triggers, are written by hand there.
 */

const FOLDER = new URL("../src/store/sqlite/migrations/", import.meta.url);
const POSTGRES = new URL("../src/store/postgres/migrations/", import.meta.url);
const name = process.argv[2];
if (!name) throw new Error("Say what the migration does: npm run migration -- add_deals");

const custom = process.argv.includes("--custom") ? ["--custom"] : [];
execFileSync("npx", ["drizzle-kit", "generate", "--name", name, ...custom], { stdio: "inherit" });

for (const file of readdirSync(FOLDER).filter((entry) => entry.endsWith(".sql"))) {
  const path = new URL(file, FOLDER);
  const text = readFileSync(path, "utf8");
  const strict = text.replaceAll(/(CREATE TABLE [^;]+\n\));/g, "$1 STRICT;");
  writeFileSync(path, strict);
  const counterpart = new URL(file, POSTGRES);
  if (!existsSync(counterpart)) writeFileSync(counterpart, postgresDdl(generatedPart(strict)));
}
