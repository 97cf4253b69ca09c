import { Command, CommanderError, Option } from "commander";
import { describeFlag, describeSetting, SETTINGS } from "../config.ts";
import { VERSION } from "../lib/package.ts";
import { printFault, WRONG_USAGE } from "./terminal.ts";

const DATA = ["--data <folder>", "data folder (default: ROSTRUM_DATA, or ./data)"] as const;
const JSON_OUT = ["--json", "print the result as one JSON document"] as const;
const WORKSPACE = ["--workspace <workspace>", "workspace ID or name (optional if there is only one)"] as const;
/** A key is found in any workspace. */
const ONLY_WORKSPACE = [
  "--workspace <workspace>",
  "search only this workspace, given by ID or name (default: all)",
] as const;

/** The heading of the settings in the help of `start`. */
export const SETTINGS_HEADING =
  "Environment variables. They are also read from .env, but with --ephemeral that file is\nignored. Options take precedence.\n" +
  "To read a secret from a file, add _FILE to the variable's name and set it to the\n" +
  "path of the file, for example SMTP_URL_FILE=/run/secrets/smtp_url.\n";
/** The width of help that is not printed on a terminal. */
const PIPED_WIDTH = 80;

/** An action whose module is loaded when its command runs, because help needs none of it and loading takes longest. */
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
    .description("Rostrum: a gateway for sales and social marketing where AI agents propose and people approve.")
    .version(VERSION);

  const startCommand = root
    .command("start")
    .description("start the server: console, REST API, MCP and background jobs");
  for (const setting of Object.values(SETTINGS)) {
    if ("flag" in setting) startCommand.option(setting.flag, describeFlag(setting));
  }
  startCommand
    .option("--demo", "create a demo workspace in an empty data folder")
    .option(
      "--ephemeral",
      "use a temporary data folder with a demo workspace and an API key; the folder is deleted at exit",
    )
    .option(
      "--new-database",
      "create a new database in a folder that still has files from an earlier database, such as data.key",
    )
    .option("--json", "print one line of JSON when ready")
    .addHelpText("after", ({ command }) => settingsHelp(command))
    .action(lazy(async () => (await import("./commands/start.ts")).start));

  const key = root.command("key").description("manage API keys");
  key
    .command("create")
    .description("create an API key for an agent and show it once")
    .option(...WORKSPACE)
    .requiredOption("--name <name>", "name of the key, such as the agent's name (required)")
    .requiredOption(
      "--scopes <scopes>",
      'scopes, separated by commas, such as "contacts.read,deals.write", or "all" (required)',
    )
    .option("--expires-in-days <days>", "days until the key expires (default: never)")
    .option(
      "--socialnet-account <id>",
      "ID of the social account that the agent acts for; to list them, run rostrum call list_socialnet_accounts",
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).createKey));
  key
    .command("list")
    .description("list the API keys of a workspace")
    .option(...WORKSPACE)
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).listKeys));
  key
    .command("revoke")
    .description("revoke an API key immediately")
    .argument("<key>", "ID or prefix from `key list`, or the whole key")
    .option(...ONLY_WORKSPACE)
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).revokeKey));

  root
    .command("workspace")
    .description("manage workspaces")
    .command("create")
    .description("create a workspace")
    .argument("<name>", "name of the workspace")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/keys.ts")).createWorkspace));

  root
    .command("member")
    .description("manage teammates")
    .command("reset-password")
    .description("print a link for a teammate to set a new password or accept an invitation")
    .argument("<email>", "email address of the teammate")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/members.ts")).resetPassword));

  root
    .command("call")
    .description("call an operation as the server admin")
    .argument("<operation>", "operation name, such as create_contact")
    .option(...WORKSPACE)
    .addOption(unquoted("--input <json>", "input as JSON, or - to read it from stdin", "{}"))
    .option(
      "--idempotency-key <key>",
      "your own ID for this call: if you repeat the call with it, you get the first result again",
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/call.ts")).call));

  root
    .command("simulate")
    .description("simulate a sequence: show what would be sent and when, without sending")
    .argument("<sequence>", "sequence ID or name")
    .option(...WORKSPACE)
    .addOption(unquoted("--contacts <n>", "number of contacts to include, newest first", "10"))
    .addOption(unquoted("--days <n>", "number of days to simulate", "30"))
    .option("--csv", "print CSV instead of a table")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/simulate.ts")).simulate));

  root
    .command("import")
    .description("import contacts from CSV; if interrupted, run it again to resume")
    .argument("<file>", "CSV file with a header row")
    .option(...WORKSPACE)
    .option(
      "--map <pairs>",
      'map CSV columns to contact fields, such as "Work email=email,Organization=company"',
      (pairs, all: string[] = []) => [...all, pairs],
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/import.ts")).importFile));

  root
    .command("backup")
    .description("back up the SQLite database and verify the copy; safe while the server runs")
    .argument("<path>", "file to write the backup to; with --keep, the folder to write it to")
    .option("--keep <n>", "put a timestamp in the file name, and remove all but the newest <n> backups in the folder")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/backup.ts")).backup));
  root
    .command("restore")
    .description("restore a SQLite backup into a data folder that has no database")
    .argument("<file>", "backup file to restore")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/backup.ts")).restoreBackup));
  root
    .command("move")
    .description("copy the database to PostgreSQL, or back; if interrupted, run it again to resume")
    .requiredOption(
      "--to <database>",
      "postgres (the database at ROSTRUM_DATABASE_URL), postgres://user:password@host:port/database, or sqlite (a file in the data folder); required",
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/move.ts")).moveDatabase));
  root
    .command("clock")
    .description("confirm the time after the system clock jumped ahead; until then, old records are kept longer")
    .command("accept")
    .description("confirm that the system clock is correct, so that old records are deleted on time again")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/clock.ts")).acceptClock));
  root
    .command("config")
    .description("show every setting, its value and its source, with secrets masked")
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/config.ts")).showConfig));
  root
    .command("doctor")
    .description("check the setup and show how to fix each problem; exits with status 1 if there is a problem")
    .option("--deep", "also read every page of the database, which takes minutes if it has gigabytes")
    .option(
      "--mail",
      "also sign in to the mail server and the mailbox, without sending, and check the sender's DNS records",
    )
    .option(
      "--dkim-selector <name>",
      "with --mail: the DKIM selector of your mail provider (default: tries common ones)",
    )
    .option(...DATA)
    .option(...JSON_OUT)
    .action(lazy(async () => (await import("./commands/doctor.ts")).doctor));
  root
    .command("openapi")
    .description("print the OpenAPI description, as JSON")
    .option(...DATA)
    .option("--json", "wrap it in { data, error }")
    .action(lazy(async () => (await import("./commands/openapi.ts")).printOpenApi));
  return root;
}

/** An option whose help shows its default without quotation marks. */
const unquoted = (flags: string, description: string, value: string) =>
  new Option(flags, description).default(value, value);

function settingsHelp(command: Command): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: process.stdout.isTTY ? process.stdout.columns : PIPED_WIDTH });
  const settings = Object.values(SETTINGS);
  const width = Math.max(...settings.map(({ env }) => env.length));
  const lines = settings.map((setting) => help.formatItem(setting.env, width, describeSetting(setting), help));
  return `\n${SETTINGS_HEADING}\n${lines.join("\n")}`;
}

/** A reader that has seen enough closes the pipe (`rostrum openapi | head`), which is no fault. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}

/** Parses the command line and runs the command. Never throws: errors become a line and an exit status. */
export async function run(argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  const root = program();
  const silence = (command: Command): void => {
    command.exitOverride();
    if (json) command.configureOutput({ writeErr: () => undefined });
    command.commands.forEach(silence);
  };
  silence(root);
  // Tests and scripts run several commands in one process.
  process.stdout.off("error", endWithReader).on("error", endWithReader);
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
