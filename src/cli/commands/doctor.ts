import { existsSync, statSync } from "node:fs";
import { environmentMail } from "../../composition/mail.ts";
import {
  type Config,
  ENV_FILE,
  envFileFaults,
  envFileVariables,
  settingProblems,
  unknownVariables,
} from "../../config.ts";
import { advanceRetention } from "../../domain/time/retention.ts";
import { commandOn, quote } from "../../lib/command-line.ts";
import { databaseFile, dataKeyFile, movedTo } from "../../lib/data-folder.ts";
import { shownUrl } from "../../lib/database-url.ts";
import { diskFault } from "../../lib/disk-fault.ts";
import { type MailSetup, mergeSetup } from "../../lib/mail-server.ts";
import { COMMAND, UPDATE } from "../../lib/package.ts";
import { DAY_MS, iso, MINUTE_MS } from "../../lib/time.ts";
import { openVault, VaultError } from "../../lib/vault.ts";
import { openMailSettings } from "../../services/access/mail-settings.ts";
import { BadCatalog, catalogFrom, catalogInUse, notedCatalog } from "../../services/checklist/catalog-file.ts";
import { isInUse } from "../../store/sqlite/instance.ts";
import { type Inspection, inspectDatabase, shrinkWal } from "../../store/sqlite/maintenance.ts";
import { prereleaseMessage } from "../../store/sqlite/migrate.ts";
import { requireOwnDatabase, WrongDatabase } from "../../store/sqlite/place.ts";
import { type Finding, fault, fine, OTHERS } from "../doctor/finding.ts";
import { disk, files, folder } from "../doctor/machine.ts";
import { mail, proxy, sendingDomain } from "../doctor/network.ts";
import { server } from "../doctor/server.ts";
import { configOf, type DataOptions, printData, REFUSED } from "../terminal.ts";

/** A clock before this date was never set. */
const EARLIEST = Date.UTC(2026, 0, 1);
const CLOCK_SLACK_MS = MINUTE_MS;

export interface DoctorOptions extends DataOptions {
  deep?: boolean;
  mail?: boolean;
  dkimSelector?: string;
}

/** `rostrum doctor`: checks the setup and shows how to fix each problem. Writes one file, and removes it again. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const findings = await examine(options);
  if (findings.some(({ ok }) => !ok)) process.exitCode = REFUSED;
  const line = ({ check, ok, detail, fix }: Finding) =>
    `${ok ? (fix === null ? "ok   " : "WARN ") : "FAIL "} ${check.padEnd(10)} ${detail}${fix === null ? "" : `\n                 fix: ${fix}`}`;
  printData({ healthy: findings.every(({ ok }) => ok), findings }, options, () => findings.map(line).join("\n"));
}

async function examine(options: DoctorOptions): Promise<Finding[]> {
  const problems = settingProblems({ data: options.data });
  const wrong = problems.map((problem) =>
    fault("settings", problem, `correct or unset it; ${COMMAND} start --help lists the settings`),
  );
  if (wrong.length > 0) return [...wrong, ...settings().filter(({ ok }) => !ok)];
  const config = configOf(options);
  const file = databaseFile(config.data);
  const stored: Stored = { emailing: {}, mail: {} };
  const findings = [
    ...settings(),
    catalog(config),
    ...(config.databaseUrl === undefined ? [folder(config.data, file)] : []),
    disk(config.data),
    ...files(config),
    ...(await server(config, isInUse(file))),
    ...(await proxy(config)),
    ...(config.databaseUrl === undefined
      ? database(config, file, options.deep === true, stored)
      : await postgres(config, config.databaseUrl, stored)),
  ];
  const setup = mergeSetup(environmentMail(config), stored.mail);
  findings.push(email(setup, stored.emailing));
  if (!options.mail) return findings;
  return [...findings, ...(await mail(setup, config)), ...(await sendingDomain(setup, options.dkimSelector))];
}

/** What the database says of the server's mail, as far as it can be read. */
interface Stored {
  emailing: Inspection["emailing"];
  mail: MailSetup;
}

/** Whether due emails leave this server. */
function email({ smtp, from }: MailSetup, { send = 0, files = 0 }: Inspection["emailing"]): Finding {
  const of = (count: number) => `emails in ${count} active ${count === 1 ? "sequence" : "sequences"}`;
  const saved = files > 0 ? `${of(files)} are saved to files and not sent` : undefined;
  if (smtp !== undefined) {
    const detail = `emails are sent through ${smtp.host}:${smtp.port} as ${from?.address}`;
    return fine("email", saved === undefined ? detail : `${detail}, but ${saved}`);
  }
  if (send > 0) {
    const fix = "set SMTP_URL and MAIL_FROM, or connect a mail server in the console under Settings → Email";
    return fault("email", `there is no mail server, so ${of(send)} wait`, fix);
  }
  return fine("email", saved ?? "there is no mail server, so no email is sent");
}

/** Records the settings that decide where emails go. Without the data key, they can't be read, and another check reports that. */
function noteMail({ data, dataKey: given }: Config, { mailSettings, emailing, sealedBy }: Noted, stored: Stored): void {
  stored.emailing = emailing;
  if (mailSettings === null) return;
  try {
    stored.mail = openMailSettings(openVault(dataKeyFile(data), given, sealedBy), mailSettings);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
  }
}

type Noted = Pick<Inspection, "mailSettings" | "emailing" | "sealedBy">;

function settings(): Finding[] {
  const found: Finding[] = [];
  let inFile: Set<string>;
  try {
    inFile = envFileVariables();
  } catch {
    // That the file can't be read is a problem of the settings themselves.
    return [];
  }
  for (const isInFile of [false, true]) {
    const unknown = unknownVariables().filter(({ name }) => inFile.has(name) === isInFile);
    if (unknown.length === 0) continue;
    const shown = unknown.map(({ name, nearest }) =>
      nearest === undefined ? name : `${name} (did you mean ${nearest}?)`,
    );
    const names = unknown.map(({ name }) => name).join(" ");
    const remove = isInFile ? `remove ${names} from ${ENV_FILE}` : `unset ${names}`;
    const detail = `unknown environment variables${isInFile ? ` in ${ENV_FILE}` : ""}: ${shown.join(", ")}`;
    found.push(fault("settings", detail, `${remove}; ${COMMAND} start --help lists the settings`));
  }
  if (existsSync(ENV_FILE) && (statSync(ENV_FILE).mode & OTHERS) !== 0) {
    found.push(fault("settings", `other users of this machine can read ${ENV_FILE}`, `chmod 600 ${ENV_FILE}`));
  }
  for (const detail of envFileFaults())
    found.push(fault("settings", detail, `correct or remove the line in ${ENV_FILE}`));
  return found.length > 0 ? found : [fine("settings", "all settings are valid")];
}

function catalog({ checklistCatalog: named, data }: Config): Finding {
  const file = named ?? notedCatalog(data);
  try {
    const { version, items } = named === undefined ? catalogInUse(data)() : catalogFrom(named)();
    return fine("catalog", `version ${version} with ${items.length} items, ${file ?? "the built-in catalog"}`);
  } catch (error) {
    if (!(error instanceof BadCatalog)) throw error;
    return fault(
      "catalog",
      error.message,
      named === undefined
        ? "set ROSTRUM_CHECKLIST_CATALOG to a valid file or unset it, then restart the server"
        : "correct the file, or unset ROSTRUM_CHECKLIST_CATALOG to use the built-in catalog",
    );
  }
}

/** npx runs the newest version if it is asked for. */
const updateCommand = (data: string) => UPDATE ?? commandOn(data, "start").replace(COMMAND, "npx rostrum@latest");

function database(config: Config, file: string, deep: boolean, stored: Stored): Finding[] {
  const { data } = config;
  const moved = movedTo(data);
  if (moved !== undefined) {
    return [fault("database", `the data was moved to ${moved}`, "set ROSTRUM_DATABASE_URL to that database")];
  }
  try {
    requireOwnDatabase(file);
    if (!existsSync(file)) return [fault("schema", `${file} does not exist`, commandOn(data, "start")), clock(data)];
    const inspection = inspectDatabase(file, deep ? "full" : "quick");
    if (deep) shrinkWal(file);
    const { faults, pending, unknown, prerelease, sealedBy } = inspection;
    if (faults.length > 0) return [damaged(data, file, faults[0] as string)];
    if (prerelease) return [fault("schema", prereleaseMessage(file), commandOn("NEW_FOLDER", "start"))];
    if (unknown > 0) {
      return [fault("schema", "the database was written by a newer version of Rostrum", updateCommand(data))];
    }
    const schema =
      pending.length > 0
        ? fault(
            "schema",
            `${pending.length} pending ${pending.length === 1 ? "migration" : "migrations"}`,
            commandOn(data, "start"),
          )
        : fine("schema", deep ? "up to date and intact" : "up to date; --deep also reads every page");
    noteMail(config, inspection, stored);
    return [schema, dataKey(config, sealedBy), clock(data, inspection)];
  } catch (error) {
    if (error instanceof WrongDatabase) return [fault("schema", error.message, commandOn(data, "restore BACKUP"))];
    const unusable = diskFault(error, file);
    if (unusable !== undefined) return [fault("schema", unusable.message, "repair the disk, then run doctor again")];
    return [damaged(data, file, (error as Error).message)];
  }
}

/** What is in PostgreSQL: it answers, can be written, and has this version's schema. */
async function postgres(config: Config, url: string, stored: Stored): Promise<Finding[]> {
  const { connectionConfig, isPooledByTransaction } = await import("../../store/postgres/connect.ts");
  const { causeOf, isUnavailable } = await import("../../store/postgres/faults.ts");
  const { inspectDatabase: inspect } = await import("../../store/postgres/migrate.ts");
  const { default: pg } = await import("pg");
  const shown = shownUrl(url);
  const client = new pg.Client(connectionConfig(config.databaseDirectUrl ?? url, false));
  client.on("error", () => undefined);
  try {
    if (config.databaseDirectUrl === undefined && (await isPooledByTransaction(url))) {
      const detail = `${shown} points to a transaction pooler`;
      return [
        fault(
          "database",
          detail,
          "use the URL of the PostgreSQL server itself, or also set ROSTRUM_DATABASE_DIRECT_URL to it",
        ),
      ];
    }
    await client.connect();
    const inspection = await inspect(client);
    const { version, pending, isReadOnly, sealedBy } = inspection;
    if (isReadOnly) return [fault("database", `${shown} is read-only`, "set ROSTRUM_DATABASE_URL to the primary")];
    const schema =
      pending > 0
        ? fault(
            "schema",
            `${pending} pending ${pending === 1 ? "migration" : "migrations"}`,
            commandOn(config.data, "start"),
          )
        : fine("schema", "up to date");
    if (pending === 0) noteMail(config, inspection, stored);
    const well = [fine("database", `${shown}, PostgreSQL ${version}`), schema];
    return pending > 0 ? well : [...well, dataKey(config, sealedBy), clock(config.data, inspection)];
  } catch (error) {
    if (!isUnavailable(error))
      return [
        fault(
          "database",
          `${shown}: ${(error as Error).message}`,
          "correct what the message names, then run doctor again",
        ),
      ];
    const { reason, next } = causeOf(error);
    return [fault("database", `${shown}: ${reason} (${(error as Error).message})`, next)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function dataKey({ data, dataKey: given }: Config, sealedBy: readonly string[]): Finding {
  if (sealedBy.length === 0) {
    const isKept = given !== undefined || existsSync(dataKeyFile(data));
    const next = isKept ? "" : `; the next start creates ${dataKeyFile(data)}`;
    return fine("data key", `no encrypted secrets are stored yet${next}`);
  }
  try {
    return fine("data key", `${openVault(dataKeyFile(data), given, sealedBy).keyId} decrypts the stored secrets`);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const fix = `restore the data.key of this database to ${quote(dataKeyFile(data))}, or set ROSTRUM_DATA_KEY`;
    return fault("data key", error.message, fix);
  }
}

function damaged(data: string, file: string, detail: string): Finding {
  const aside = quote(`${data}/damaged`);
  const fix = `mkdir ${aside} && mv ${quote(file)}* ${aside} && ${commandOn(data, "restore BACKUP")}`;
  return fault("schema", `the database is damaged: ${detail}`, fix);
}

function clock(data: string, known?: Pick<Inspection, "newest" | "retentionAt" | "clockJump">): Finding {
  const { newest = null, retentionAt = null, clockJump: jump = null } = known ?? {};
  const now = Date.now();
  const shown = iso(now);
  if (now < EARLIEST) return fault("clock", `${shown} is years in the past`, SET_CLOCK);
  if (newest !== null && newest > now + CLOCK_SLACK_MS) {
    return fault("clock", `${shown} is earlier than the newest stored data`, SET_CLOCK);
  }
  if (retentionAt !== null && advanceRetention(retentionAt, 0, now).state === "ahead") {
    const days = Math.floor((now - retentionAt) / DAY_MS);
    const detail = `the clock jumped ahead ${days} days, so old records are kept longer`;
    return fault(
      "clock",
      detail,
      `if the clock is wrong, run ${SET_CLOCK}. If it is correct, run ${commandOn(data, "clock accept")}`,
    );
  }
  return fine("clock", jump === null ? shown : `${shown}; it last jumped from ${iso(jump.from)} to ${iso(jump.to)}`);
}

const SET_CLOCK = "timedatectl set-ntp true";
