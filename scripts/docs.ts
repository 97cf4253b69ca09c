/**
 * Writes the tables of the documentation from the code they describe: `npm run docs`. With --check it only compares,
 * and fails where a page is stale.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { SETTINGS } from "../src/config.ts";
import { SCOPES } from "../src/domain/scopes.ts";
import { HOLDS, POSTPONEMENTS, SEND_STATUSES } from "../src/domain/sending.ts";
import { BUDGETS } from "../src/limits.ts";
import type { Operation } from "../src/operation.ts";
import { type ProblemCode, problems } from "../src/problem.ts";
import { refusalsOf } from "../src/refusals.ts";
import { operations } from "../src/tools/index.ts";

const list = operations as readonly Operation[];
const ROOT = new URL("../", import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const code = (text: string) => `\`${text}\``;
const access = ({ access: door }: Operation) =>
  "scope" in door ? (door.scope === null ? "any key" : code(door.scope)) : code(door.permission);

const meanings = (head: string, means: Record<string, string>) =>
  table(
    [head, "Meaning"],
    Object.entries(means).map(([name, meaning]) => [code(name), meaning]),
  );

const agentDoor = list.filter((operation) => "scope" in operation.access);
const personDoor = list.filter((operation) => "permission" in operation.access);

/** What every operation of the agent door can answer. */
const everywhere = Object.keys(problems).filter((name) =>
  agentDoor.every((operation) => refusalsOf(operation).includes(name as ProblemCode)),
) as ProblemCode[];

const sections: Record<string, () => string> = {
  operations: () =>
    table(
      ["Operation", "REST, below `/api/v1`", "MCP tool", "`Idempotency-Key`", "Scope", "What it does"],
      agentDoor.map((operation) => [
        code(operation.name),
        operation.http ? code(`${operation.http.method} ${operation.http.path}`) : "",
        operation.tool ? "yes" : "",
        operation.idempotent ? "yes" : "",
        access(operation),
        operation.title,
      ]),
    ),
  people: () =>
    table(
      ["Operation", "Permission", "What it does"],
      personDoor.map((operation) => [code(operation.name), access(operation), operation.title]),
    ),
  refusals: () =>
    table(
      ["Operation", "Success", "Refusals"],
      agentDoor.map((operation) => [
        code(operation.name),
        operation.http?.statuses.join(", ") ?? "",
        refusalsOf(operation)
          .filter((name) => !everywhere.includes(name))
          .map((name) => `${problems[name].status} ${code(name)}`)
          .join(", "),
      ]),
    ),
  everywhere: () => everywhere.map(code).join(", "),
  descriptions: () => personDoor.map((operation) => `- ${code(operation.name)}: ${operation.description}`).join("\n"),
  codes: () =>
    table(
      ["Status", "Code", "Meaning"],
      Object.entries(problems)
        .sort(([, a], [, b]) => a.status - b.status)
        .map(([name, { status, means }]) => [String(status), code(name), means]),
    ),
  scopes: () =>
    table(
      ["Scope", "Grants"],
      Object.entries(SCOPES).map(([name, grants]) => [code(name), grants]),
    ),
  budgets: () =>
    table(
      ["Budget", "Requests a minute, per key"],
      Object.entries(BUDGETS).map(([name, points]) => [code(name), String(points)]),
    ),
  holds: () => meanings("`held_reason`", HOLDS),
  postponements: () => meanings("`waits.reason`", POSTPONEMENTS),
  sends: () => meanings("Status", SEND_STATUSES),
  settings: () =>
    table(
      ["Variable", "Flag", "Takes", "What it does"],
      Object.values(SETTINGS).map((setting) => [
        code(setting.env),
        "flag" in setting && setting.flag ? code(setting.flag) : "",
        setting.takes,
        setting.description,
      ]),
    ),
};

const PAGES = ["README.md", "docs/operations.md", "docs/sequences.md", "docs/settings.md"];
const checking = process.argv.includes("--check");
const stale: string[] = [];

for (const page of PAGES) {
  const path = new URL(page, ROOT);
  const before = readFileSync(path, "utf8");
  const after = before.replaceAll(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, open: string, name: string, close: string) => {
      const write = sections[name];
      if (write === undefined) throw new Error(`${page}: there is no table called ${name}`);
      return `${open}${write()}\n${close}`;
    },
  );
  if (after === before) continue;
  if (checking) stale.push(page);
  else writeFileSync(path, after);
}

if (stale.length > 0) {
  console.error(`Stale: ${stale.join(", ")}. Run npm run docs and commit what it writes.`);
  process.exit(1);
}
