import { Command, CommanderError } from "commander";
import { SETTINGS } from "../config.ts";
import { VERSION } from "../lib/package.ts";
import { printFault, WRONG_USAGE } from "./terminal.ts";

const DATA = ["--data <folder>", "data folder (default: ROSTRUM_DATA, or ./data)"] as const;
const JSON_OUT = ["--json", "print one JSON document, the envelope, on stdout"] as const;
const WORKSPACE = ["--workspace <workspace>", "its id or name; may be left out where there is only one"] as const;

/** An action whose module is loaded when its command runs: help needs none of it, and loading takes longest. */
function lazy<Args extends unknown[]>(
  load: () => Promise<(...args: Args) => unknown>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const action = await load();
    await action(...args);
  };
}

function program(): Command {
  const root = new Command("rostrum")
    .description("A gateway for sales and social marketing: agents take the floor, people decide.")
    .version(VERSION);

  const startCommand = root.command("start").description("run everything: REST, MCP and the background jobs");
  for (const { flag, description, env } of Object.values(SETTINGS)) {
    if (flag !== undefined) startCommand.option(flag, `${description} (${env})`);
  }
  startCommand
    .option("--demo", "fill an empty data folder with a workspace worth looking at")
    .option("--ephemeral", "a temporary data folder, a demo workspace and a key with every scope; gone at exit")
    .option("--new-database", "begin a new database beside what an earlier one left, such as data.key")
    .option("--json", "print one line of JSON on stdout once ready")
    .addHelpText("after", settingsHelp)
    .action(lazy(async () => (await import("./commands/start.ts")).start));

  const key = root.command("key").description("API keys");
  key
    .command("create")
    .description("make a key for an agent; it is shown once")
    .option(...WORKSPACE)
    .requiredOption("--name <name>", "what the key is for")
    .requiredOption("--scopes <scopes>", "scopes divided by commas, or all")
    .option("--expires-in-days <days>", "when it ends; without it, never")
    .option("--socialnet-account <id>", "the one account of the social network that the agent acts for")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).createKey));
  key
    .command("list")
    .description("list the keys of a workspace")
    .option(...WORKSPACE)
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).listKeys));
  key
    .command("revoke")
    .description("end a key at once")
    .argument("<key>", "the key's id or prefix, from key list; in any workspace")
    .option(...WORKSPACE)
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).revokeKey));

  root
    .command("workspace")
    .description("workspaces")
    .command("create")
    .description("found a workspace")
    .argument("<name>")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).createWorkspace));

  root
    .command("member")
    .description("the people of a workspace")
    .command("reset-password")
    .description("print a link by which somebody sets a new password, or comes in at all")
    .argument("<email>")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/members.ts")).resetPassword));

  root
    .command("call")
    .description("call any operation, an agent's or a person's, as the local operator")
    .argument("<operation>", "its name, such as create_contact")
    .option(...WORKSPACE)
    .option("--input <json>", "the input as JSON, or - to read it from stdin", "{}")
    .option("--idempotency-key <key>", "answer a repeat with the first answer")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/call.ts")).call));

  root
    .command("simulate")
    .description("play a sequence on a clock of its own: what would go out when; nothing is sent")
    .argument("<sequence>", "its id or name")
    .option(...WORKSPACE)
    .option("--contacts <n>", "for how many of the newest contacts", "10")
    .option("--days <n>", "how far to look ahead", "30")
    .option("--csv", "print CSV in place of a table")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/simulate.ts")).simulate));

  root
    .command("import")
    .description("take the rows of a CSV file as contacts; the same command goes on after an interruption")
    .argument("<file>")
    .option(...WORKSPACE)
    .option(
      "--map <pairs>",
      'what columns hold: "Their column=email,Other=company"',
      (pairs, all: string[]) => [...all, pairs],
      [],
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/import.ts")).importFile));

  root
    .command("backup")
    .description("write a checked copy of the live database")
    .argument("<file>")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/backup.ts")).backup));
  root
    .command("restore")
    .description("put a backup where there is no database yet")
    .argument("<file>")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/backup.ts")).restoreBackup));
  root
    .command("move")
    .description("copy the database to PostgreSQL, or back; run it again to resume")
    .requiredOption("--to <database>", "postgres://user:password@host:port/database, or sqlite")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/move.ts")).moveDatabase));
  root
    .command("clock")
    .description("the machine's clock")
    .command("accept")
    .description("delete old rows by the clock again, after it jumped and doctor said so")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/clock.ts")).acceptClock));
  root
    .command("doctor")
    .description("look for what keeps a server from running well; exit 1 on any fault")
    .option("--deep", "read every page of the database too: minutes for gigabytes")
    .option("--mail", "ask the mail server and the mailbox too: connect and sign in, send nothing")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/doctor.ts")).doctor));
  root
    .command("openapi")
    .description("print the OpenAPI description; with --json in the envelope")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/openapi.ts")).printOpenApi));
  return root;
}

function settingsHelp(): string {
  const lines = Object.values(SETTINGS).map(({ env, description }) => `  ${env.padEnd(23)} ${description}`);
  return `\nSettings from the environment (flags win over them):\n${lines.join("\n")}`;
}

/** Parses the command line and runs what it names. Never throws: faults become a line and an exit status. */
export async function run(argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  const root = program();
  const silence = (command: Command): void => {
    command.exitOverride();
    if (json) command.configureOutput({ writeErr: () => undefined });
    command.commands.forEach(silence);
  };
  silence(root);
  try {
    await root.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
      if (json && error.exitCode !== 0) printFault(error, json);
      if (error.exitCode !== 0) process.exitCode = WRONG_USAGE;
      return;
    }
    printFault(error, json);
  }
}
