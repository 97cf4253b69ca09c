import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../support/program.ts";
import { readPage } from "./pages.ts";

test("each log message that the docs describe is in the code", () => {
  const src = join(ROOT, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const code = files.map((name) => readFileSync(join(src, name), "utf8")).join("\n");
  const [, section = ""] = readPage("docs/monitoring.md").split("\n## Log\n");
  const [table = ""] = section.split("\n\nRepeated lines");
  const messages = [...table.matchAll(/^\| (`.+?`(?:, `.+?`)*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message as string),
  );
  assert.ok(messages.length > 8, String(messages));
  for (const message of messages) assert.ok(code.includes(`"${message}"`), message);
});
