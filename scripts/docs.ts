import { readFileSync, writeFileSync } from "node:fs";
import type { z } from "zod";
import { run, SETTINGS_HEADING } from "../src/cli/program.ts";
import { describeSetting, SETTINGS } from "../src/config.ts";
import type { Budget, Operation } from "../src/core/operation.ts";
import { BUDGETS, refusalsOf } from "../src/core/policy.ts";
import { type ProblemCode, problems } from "../src/core/problem.ts";
import { JOBS } from "../src/core/server-probe.ts";
import { CLIENT_COMMANDS, CLIENT_STEPS } from "../src/domain/access/client-commands.ts";
import { MCP_PATH } from "../src/domain/access/oauth.ts";
import { memberMay, type Permission, ROLES, SCOPES } from "../src/domain/access/roles.ts";
import { platformsLabel } from "../src/domain/checklist/channel.ts";
import { AUTOMATIONS, type CatalogItem, CHECKS, FREQUENCIES } from "../src/domain/checklist/item.ts";
import { HOLDS, POSTPONEMENTS, SEND_STATUSES } from "../src/domain/outreach/sending.ts";
import { ACTION_STATUSES, type ActionMove, causeOf, MOVES } from "../src/domain/socialnet/action.ts";
import { BLOCKS } from "../src/domain/socialnet/eligibility.ts";
import { createMetrics } from "../src/lib/metrics.ts";
import { AFTER_ERROR, AFTER_STAGE } from "../src/services/access/connection-help.ts";
import { shippedCatalog } from "../src/services/checklist/catalog-file.ts";
import { REASONS } from "../src/services/socialnet/eligibility.ts";
import { operations } from "../src/tools/index.ts";
import { AGENT_COMMANDS } from "../src/tools/socialnet/socialnet-command.ts";
import { toolSizes } from "./tool-sizes.ts";

/**
 * Writes the reference parts of the docs from the code that they describe: `npm run docs`. With --check it changes
 * nothing, and fails if a page is stale.
 */

const MCP_URL = `https://rostrum.example${MCP_PATH}`;
const KEY = "ros_live_…";

const list = operations as readonly Operation[];
const ROOT = new URL("../", import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const code = (text: string) => `\`${text}\``;
function access({ access: needed, scopeFor }: Operation): string {
  if ("permission" in needed) return code(needed.permission);
  if (needed.scope !== null) return code(needed.scope);
  return scopeFor === undefined ? "any key" : "the event's scope";
}

const meanings = (head: string, means: Record<string, string>) =>
  table(
    [head, "Meaning"],
    Object.entries(means).map(([name, meaning]) => [code(name), meaning]),
  );

const agentOperations = list.filter((operation) => "scope" in operation.access);
const personOperations = list.filter((operation) => "permission" in operation.access);

/** How a client calls an operation over MCP. */
const overMcp = (operation: Operation) => {
  if ("rpc" in operation && operation.rpc !== undefined) return code(operation.rpc);
  return operation.tool ? "tool" : "";
};

/** The operations that count against a budget. */
const spending = (budget: Budget) =>
  budget === "mcp"
    ? "Every message to the MCP endpoint"
    : agentOperations
        .filter((operation) => operation.budget === budget)
        .map(({ name }) => code(name))
        .join(", ");

/** The refusals that every operation of agents has in common. */
const everywhere = Object.keys(problems).filter((name) =>
  agentOperations.every((operation) => refusalsOf(operation).includes(name as ProblemCode)),
) as ProblemCode[];

/** Every move of the state machine. */
const moves = ACTION_STATUSES.flatMap((from) =>
  (Object.entries(MOVES[from]) as [ActionMove, string][]).map(([move, to]) => ({ from, move, to })),
);
const over = ACTION_STATUSES.filter((status) => Object.keys(MOVES[status]).length === 0);

/** Moves between the same two statuses share an arrow. */
const arrows = [...new Set(moves.map(({ from, to }) => `${from} --> ${to}`))].map((arrow) => {
  const along = moves.filter(({ from, to }) => `${from} --> ${to}` === arrow);
  return `  ${arrow}: ${along.map(({ move }) => move).join(", ")}`;
});

const takes = (fields: z.ZodRawShape) =>
  Object.entries(fields as Record<string, z.ZodType>)
    .map(([name, field]) => code(field.safeParse(undefined).success ? `${name}?` : name))
    .join(", ");
const marks = ({ executor: { test_first, replaced_by } }: CatalogItem) =>
  replaced_by === null ? (test_first ? " *Optional experiment.*" : "") : ` *Replaced by ${replaced_by}.*`;
const itemsOf = (kind: CatalogItem["kind"]) => shippedCatalog().items.filter((item) => item.kind === kind);
const itemTable = (items: readonly CatalogItem[]) =>
  table(
    ["Item", "When", "Area", "Task", "Who", "Channels", "After"],
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

/** The metrics as they are served, without those of the process, which all Prometheus clients have. */
const ownMetrics = await createMetrics({
  queueDepth: () => 0,
  authEvents: { dropped: 0, merged: 0 },
  disk: () => Promise.reject(),
  backlog: () => Promise.reject(),
  lastBackup: () => Promise.reject(),
  jobs: () => [],
  about: { version: "", engine: "" },
})
  .text()
  .then((text) => text.replaceAll(/^# (HELP|TYPE) rostrum_(process|nodejs)_.*$/gm, ""));

const sizes = await toolSizes();

/** What `rostrum WORDS --help` prints, without the settings, which have a page of their own. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { stdout } = process;
  const { write, isTTY } = stdout;
  let printed = "";
  // On a terminal, help is as wide as the terminal.
  stdout.isTTY = false;
  stdout.write = (text: string | Uint8Array) => {
    printed += text;
    return true;
  };
  try {
    await run(["node", "rostrum", ...words, "--help"]);
  } finally {
    stdout.write = write;
    stdout.isTTY = isTTY;
  }
  return printed.split(`\n${SETTINGS_HEADING}`)[0]?.trim() ?? "";
}

/** The help of each command below this one, as sections. Groups such as `key` have none of their own. */
async function helpBelow(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const [, list] = help.split("\nCommands:\n");
  if (list === undefined) return [`### ${words.join(" ")}\n\n\`\`\`text\n${help}\n\`\`\`\n`];
  const names = [...list.matchAll(/^ {2}([\w-]+)/gm)].flatMap(([, name = ""]) => (name === "help" ? [] : [name]));
  const sections: string[] = [];
  for (const name of names) sections.push(...(await helpBelow([...words, name])));
  return sections;
}

const help = await helpBelow([]);

const PERMISSIONS: readonly Permission[] = ["view", "work", "administer", "operate"];

const sections: Record<string, () => string> = {
  operations: () =>
    table(
      ["Operation", "REST, below `/api/v1`", "MCP", "`Idempotency-Key`", "Scope", "What it does"],
      agentOperations.map((operation) => [
        code(operation.name),
        operation.http ? code(`${operation.http.method} ${operation.http.path}`) : "",
        overMcp(operation),
        operation.idempotent ? "yes" : "",
        access(operation),
        operation.title,
      ]),
    ),
  cli: () => help.join("\n"),
  roles: () =>
    table(
      ["Role", ...PERMISSIONS.map(code)],
      ROLES.map((role) => [code(role), ...PERMISSIONS.map((one) => (memberMay(role, false, one) ? "yes" : ""))]),
    ),
  tool_sizes: () => table(["Tool", "Characters of the description", "Tokens", "Limit"], sizes),
  people: () =>
    table(
      ["Operation", "Permission", "What it does"],
      personOperations.map((operation) => [code(operation.name), access(operation), operation.title]),
    ),
  refusals: () =>
    table(
      ["Operation", "Success", "Refusals"],
      agentOperations.map((operation) => [
        code(operation.name),
        operation.http?.statuses.join(", ") ?? "",
        refusalsOf(operation)
          .filter((name) => !everywhere.includes(name))
          .map((name) => `${problems[name].status} ${code(name)}`)
          .join(", "),
      ]),
    ),
  everywhere: () => everywhere.map(code).join(", "),
  descriptions: () =>
    personOperations.map((operation) => `- ${code(operation.name)}: ${operation.description}`).join("\n"),
  codes: () =>
    table(
      ["Status", "Code", "Meaning"],
      Object.entries(problems)
        .sort(([, a], [, b]) => a.status - b.status)
        .map(([name, { status, means }]) => [String(status), code(name), means]),
    ),
  scopes: () =>
    table(
      ["Scope", "Allows"],
      Object.entries(SCOPES).map(([name, grants]) => [code(name), grants]),
    ),
  budgets: () =>
    table(
      ["Budget", "Requests per minute per key", "Operations"],
      [
        ...Object.entries(BUDGETS).map(([name, points]) => [code(name), String(points), spending(name as Budget)]),
        [code("read"), "No limit by default", spending("read")],
      ],
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
      ["From", "Move", "To", "When"],
      moves.map(({ from, move, to }) => [code(from), code(move), code(to), causeOf(from, move)]),
    ),
  commands: () =>
    table(
      ["Command", "Fields", "What it does"],
      AGENT_COMMANDS.map((command) => [code(command.name), takes(command.takes), command.does]),
    ),
  reasons: () =>
    table(
      ["`reason`", "Meaning"],
      Object.entries(REASONS).map(([name, tells]) => [code(name), tells]),
    ),
  blocks: () => BLOCKS.map((block, i) => `${i + 1}. ${code(block)}: ${REASONS[block]}`).join("\n"),
  checks: () =>
    table(
      ["Check", "Fields", "Meaning"],
      CHECKS.map(({ shape: { check, ...takes }, description = "" }) => [
        code(check.value),
        Object.keys(takes).map(code).join(", "),
        description,
      ]),
    ),
  catalogVersion: () => {
    const { version, items } = shippedCatalog();
    const replaced = items.filter(({ executor }) => executor.replaced_by !== null).length;
    return `Version ${version}, ${items.length} items. ${replaced} of them are replaced by others and no longer scheduled.`;
  },
  oneTime: () => itemTable(itemsOf("one_time")),
  ongoing: () => itemTable(itemsOf("ongoing")),
  holds: () => meanings("`held_reason`", HOLDS),
  postponements: () => meanings("`waits.reason`", POSTPONEMENTS),
  sends: () => meanings("Status", SEND_STATUSES),
  metrics: () =>
    table(
      ["Metric", "Type", "Meaning"],
      [...ownMetrics.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, name = "", help = "", type = ""]) => [
        code(name),
        type,
        help,
      ]),
    ),
  jobs: () =>
    table(
      ["Job", "Purpose"],
      Object.entries(JOBS).map(([name, purpose]) => [code(name), purpose]),
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
      ["Last step", "What to do if it stops there"],
      Object.entries(AFTER_STAGE).map(([stage, next]) => [code(stage), next]),
    ),
  connectionErrors: () =>
    table(
      ["Error", "Fix"],
      Object.entries(AFTER_ERROR).map(([error, next]) => [code(error), next]),
    ),
  settings: () =>
    table(
      ["Variable", "Flag", "Value", "What it does"],
      Object.values(SETTINGS).map((setting) => [
        code(setting.env),
        "flag" in setting && setting.flag ? code(setting.flag) : "",
        setting.takes,
        describeSetting(setting),
      ]),
    ),
};

const PAGES = [
  ...["checklist", "commands", "connecting", "monitoring", "operations", "sequences", "settings", "signing-in"],
  "socialnet",
].map((page) => `docs/${page}.md`);
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
