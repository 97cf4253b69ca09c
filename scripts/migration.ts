import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * Writes the next migration from the schema: `npm run migration -- <name>`. The generator does not know STRICT
 * tables, so the word is added to every table it creates.
 */

const FOLDER = new URL("../src/store/sqlite/migrations/", import.meta.url);
const name = process.argv[2];
if (!name) throw new Error("Say what the migration does: npm run migration -- add_deals");

const custom = process.argv.includes("--custom") ? ["--custom"] : [];
execFileSync("npx", ["drizzle-kit", "generate", "--name", name, ...custom], { stdio: "inherit" });

for (const file of readdirSync(FOLDER).filter((entry) => entry.endsWith(".sql"))) {
  const path = new URL(file, FOLDER);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replaceAll(/(CREATE TABLE [^;]+\n\));/g, "$1 STRICT;"));
}
