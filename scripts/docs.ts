import { readFileSync, writeFileSync } from "node:fs";
import type { z } from "zod";
import { SETTINGS } from "../src/config.ts";
import type { Operation } from "../src/core/operation.ts";
import { BUDGETS, refusalsOf } from "../src/core/policy.ts";
import { type ProblemCode, problems } from "../src/core/problem.ts";
import { CLIENT_COMMANDS, CLIENT_STEPS } from "../src/domain/access/client-commands.ts";
import { MCP_PATH } from "../src/domain/access/oauth.ts";
import { SCOPES } from "../src/domain/access/roles.ts";
import { platformsLabel } from "../src/domain/checklist/channel.ts";
import { AUTOMATIONS, type CatalogItem, CHECKS, FREQUENCIES } from "../src/domain/checklist/item.ts";
import { HOLDS, POSTPONEMENTS, SEND_STATUSES } from "../src/domain/outreach/sending.ts";
import { ACTION_MOVES, ACTION_STATUSES, type ActionMove, MOVES } from "../src/domain/socialnet/action.ts";
import { BLOCKS } from "../src/domain/socialnet/eligibility.ts";
import { createMetrics } from "../src/lib/metrics.ts";
import { AFTER_ERROR, AFTER_STAGE } from "../src/services/access/connection-help.ts";
import { shippedCatalog } from "../src/services/checklist/catalog-file.ts";
import { REASONS } from "../src/services/socialnet/eligibility.ts";
import { operations } from "../src/tools/index.ts";
import { AGENT_COMMANDS } from "../src/tools/socialnet/socialnet-command.ts";
import { toolSizes } from "./tool-sizes.ts";

/**
 * Writes the tables of the documentation from the code they describe: `npm run docs`. With --check it only compares,
 * and fails where a page is stale.
 */

const MCP_URL = `https://rostrum.example${MCP_PATH}`;
const KEY = "ros_live_…";

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

/** Every edge of the state machine. */
const moves = ACTION_STATUSES.flatMap((from) =>
  (Object.entries(MOVES[from]) as [ActionMove, string][]).map(([move, to]) => ({ from, move, to })),
);
const over = ACTION_STATUSES.filter((status) => Object.keys(MOVES[status]).length === 0);

/** Moves that lead from one status to the same other share an arrow. */
const arrows = [...new Set(moves.map(({ from, to }) => `${from} --> ${to}`))].map((arrow) => {
  const along = moves.filter(({ from, to }) => `${from} --> ${to}` === arrow);
  return `  ${arrow}: ${along.map(({ move }) => move).join(", ")}`;
});

const takes = (fields: z.ZodRawShape) =>
  Object.entries(fields as Record<string, z.ZodType>)
    .map(([name, field]) => code(field.safeParse(undefined).success ? `${name}?` : name))
    .join(", ");
const marks = ({ executor: { test_first, replaced_by } }: CatalogItem) =>
  replaced_by === null ? (test_first ? " *To be tested first.*" : "") : ` *Replaced by ${replaced_by}.*`;
const itemsOf = (kind: CatalogItem["kind"]) => shippedCatalog().items.filter((item) => item.kind === kind);
const itemTable = (items: readonly CatalogItem[]) =>
  table(
    ["Item", "When", "Area", "Task", "Who", "Where", "After"],
    items.map((item) => [
      item.id,
      FREQUENCIES[item.frequency],
      item.area,
      item.task + marks(item),
      AUTOMATIONS[item.automation],
      platformsLabel(item.channels),
      item.executor.dependencies.join(", "),
    ]),
  );

/** The metrics as they are served, without those of the process, which Prometheus' clients have in common. */
const ownMetrics = await createMetrics({
  queueDepth: () => 0,
  authEvents: { dropped: 0, merged: 0 },
  disk: () => Promise.reject(),
  backlog: () => Promise.reject(),
})
  .text()
  .then((text) => text.replaceAll(/^# (HELP|TYPE) rostrum_(process|nodejs)_.*$/gm, ""));

const sizes = await toolSizes();

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
  tool_sizes: () => table(["Tool", "Description, characters", "Tokens", "At most"], sizes),
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
  machine: () =>
    [
      "```mermaid",
      "stateDiagram-v2",
      "  [*] --> planned",
      ...arrows,
      ...over.map((status) => `  ${status} --> [*]`),
      "```",
    ].join("\n"),
  moves: () =>
    table(
      ["From", "By", "To", "What it means"],
      moves.map(({ from, move, to }) => [code(from), code(move), code(to), ACTION_MOVES[move]]),
    ),
  commands: () =>
    table(
      ["Command", "Takes", "What it does"],
      AGENT_COMMANDS.map((command) => [code(command.name), takes(command.takes), command.does]),
    ),
  reasons: () =>
    table(
      ["`reason`", "What it tells"],
      Object.entries(REASONS).map(([name, tells]) => [code(name), tells]),
    ),
  blocks: () => BLOCKS.map((block, i) => `${i + 1}. ${code(block)}: ${REASONS[block]}`).join("\n"),
  checks: () =>
    table(
      ["Check", "Takes", "What it tells"],
      CHECKS.map(({ shape: { check, ...takes }, description = "" }) => [
        code(check.value),
        Object.keys(takes).map(code).join(", "),
        description,
      ]),
    ),
  catalogVersion: () => `Version ${shippedCatalog().version}, ${shippedCatalog().items.length} items.`,
  oneTime: () => itemTable(itemsOf("one_time")),
  ongoing: () => itemTable(itemsOf("ongoing")),
  holds: () => meanings("`held_reason`", HOLDS),
  postponements: () => meanings("`waits.reason`", POSTPONEMENTS),
  sends: () => meanings("Status", SEND_STATUSES),
  metrics: () =>
    table(
      ["Metric", "Type", "What it tells"],
      [...ownMetrics.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, name = "", help = "", type = ""]) => [
        code(name),
        type,
        help,
      ]),
    ),
  clientCommands: () =>
    CLIENT_COMMANDS.map(({ name, command }) => `${name}:\n\n\`\`\`sh\n${command(MCP_URL, KEY)}\n\`\`\`\n`).join("\n"),
  clientSteps: () =>
    CLIENT_STEPS.map(({ name, steps, settings }) => {
      const listed = steps.map((step, i) => `${i + 1}. ${step}`).join("\n");
      const pasted = settings === undefined ? "" : `\n\`\`\`json\n${settings(MCP_URL, KEY)}\n\`\`\`\n`;
      return `**${name}**\n\n${listed}\n${pasted}`;
    }).join("\n"),
  connectionStages: () =>
    table(
      ["How far it came", "Next step, if it stops there"],
      Object.entries(AFTER_STAGE).map(([stage, next]) => [code(stage), next]),
    ),
  connectionErrors: () =>
    table(
      ["Error", "Next step"],
      Object.entries(AFTER_ERROR).map(([error, next]) => [code(error), next]),
    ),
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

const PAGES = [
  "README.md",
  ...["connecting", "operations", "sequences", "settings", "monitoring", "socialnet", "checklist"].map(
    (page) => `docs/${page}.md`,
  ),
];
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
