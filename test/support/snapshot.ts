import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FOLDER = new URL("../wire/", import.meta.url);

/** Holds a value to the file that is kept of it; UPDATE_SNAPSHOTS=1 writes the file anew. */
export function matchesSnapshot(name: string, value: unknown): void {
  const file = new URL(`${name}.json`, FOLDER);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_SNAPSHOTS === "1") writeFileSync(file, text);
  assert.ok(existsSync(file), `test/wire/${name}.json is missing: run with UPDATE_SNAPSHOTS=1 and review it`);
  assert.equal(text, readFileSync(file, "utf8"), `the wire changed: review it, then run with UPDATE_SNAPSHOTS=1`);
}
