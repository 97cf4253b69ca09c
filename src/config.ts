// Long because the list of settings is in one place: each is declared once, with its help.
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { parseEnv } from "node:util";
import { z } from "zod";
import { nearestName } from "./domain/text/nearest.ts";
import { shownUrl } from "./lib/database-url.ts";
import { isLoopback } from "./lib/http-client/addresses.ts";
import { IMAP, parseMailServer, parseSender, SMTP } from "./lib/mail-server.ts";
import { UsageError } from "./lib/operator-error.ts";

interface Setting<S extends z.ZodType> {
  env: string;
  /** Command-line option of `rostrum start`, where it has one. */
  flag?: string;
  /** What the option does, in the form of the help of every command: no sentence. */
  flagHelp?: string;
  /** What it takes, for the message that refuses a wrong one. */
  takes: string;
  description: string;
  secret: boolean;
  schema: S;
}

const setting = <S extends z.ZodType>(declared: Setting<S>): Setting<S> => declared;
const number = (spelling: RegExp, range: z.ZodType<number, number>) =>
  z.string().regex(spelling).transform(Number).pipe(range);
const port = number(/^\d{1,5}$/, z.int().max(65_535));

/** Text that a function parses; text that it cannot parse is refused. */
const parsedBy = <T>(read: (text: string) => T | undefined) =>
  z
    .string()
    .transform((text) => read(text))
    .refine((value) => value !== undefined)
    .transform((value) => value as Exclude<T, undefined>);

/** An address, a range such as 10.0.0.0/8, or one of express's names for ranges. */
function isProxyRange(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", bits, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const postgresUrl = z
  .string()
  .regex(/^postgres(?:ql)?:\/\//)
  .refine((url) => URL.canParse(url));

/** Every setting: its name, meaning, default and secrecy. The help and the docs are generated from this. */
export const SETTINGS = {
  port: setting({
    env: "ROSTRUM_PORT",
    flag: "--port <port>",
    flagHelp: "port to listen on; 0 picks a free one",
    takes: "a port from 0 to 65535",
    description: "Port to listen on. 0 picks a free one.",
    secret: false,
    schema: port.default(8787),
  }),
  host: setting({
    env: "ROSTRUM_HOST",
    flag: "--host <address>",
    flagHelp: "address to listen on; any address other than loopback exposes the server to the network",
    takes: "an address of this machine",
    description: "Address to listen on. Any address other than loopback exposes the server to the network.",
    secret: false,
    schema: z.string().min(1).default("127.0.0.1"),
  }),
  data: setting({
    env: "ROSTRUM_DATA",
    flag: "--data <folder>",
    flagHelp: "data folder; created if it doesn't exist",
    takes: "a folder",
    description: "Folder for the database and its backups. It is created with mode 700 if it doesn't exist.",
    secret: false,
    schema: z.string().min(1).default("./data"),
  }),
  databaseUrl: setting({
    env: "ROSTRUM_DATABASE_URL",
    takes: "postgres://user:password@host:port/database, with sslmode for TLS",
    description:
      "A PostgreSQL database to use instead of the SQLite file in the data folder. For TLS, set `sslmode` in the URL to require, verify-ca or verify-full, and `sslrootcert` to your own CA file. Default: SQLite.",
    secret: true,
    schema: postgresUrl.optional(),
  }),
  databaseDirectUrl: setting({
    env: "ROSTRUM_DATABASE_DIRECT_URL",
    takes: "postgres://user:password@host:port/database",
    description:
      "The direct URL of the PostgreSQL server. Required if `ROSTRUM_DATABASE_URL` points to a transaction pooler, such as PgBouncer with pool_mode = transaction.",
    secret: true,
    schema: postgresUrl.optional(),
  }),
  databaseConnections: setting({
    env: "ROSTRUM_DATABASE_CONNECTIONS",
    takes: "a number from 3 to 500",
    description:
      "The maximum number of connections from this server to PostgreSQL. All servers together must stay below PostgreSQL's max_connections.",
    secret: false,
    schema: number(/^\d{1,3}$/, z.int().min(3).max(500)).default(16),
  }),
  publicUrl: setting({
    env: "ROSTRUM_PUBLIC_URL",
    takes: "an http or https URL without path, query or credentials",
    description: "The URL that people and agents use to reach this server. Default: the listening address.",
    secret: false,
    schema: z
      .url({ protocol: /^https?$/, abort: true })
      .refine((url) => new URL(url).href === `${new URL(url).origin}/`)
      .transform((url) => new URL(url).origin)
      .optional(),
  }),
  trustProxy: setting({
    env: "ROSTRUM_TRUST_PROXY",
    takes:
      "the number of proxies, such as 1, or a list of IP addresses, ranges, loopback, linklocal and uniquelocal, separated by commas",
    description:
      "Proxies trusted to report the client's IP address in `X-Forwarded-For`: how many there are, or their IP addresses or ranges, separated by commas. `loopback` stands for this machine, `uniquelocal` for private networks such as 10.0.0.0/8. Anyone who connects from such an address can claim any IP address. Default: none.",
    secret: false,
    schema: z
      .string()
      .refine((text) => /^\d{1,3}$/.test(text) || text.split(",").every((part) => isProxyRange(part.trim())))
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
      .optional(),
  }),
  outboundGate: setting({
    env: "ROSTRUM_OUTBOUND_GATE",
    takes: "open or closed",
    description:
      "`open` lets this server send messages to contacts. While this setting is `closed`, contacts can't be enrolled, and agents can't claim actions.",
    secret: false,
    schema: z.enum(["open", "closed"]).default("closed"),
  }),
  socialnetExecution: setting({
    env: "ROSTRUM_SOCIALNET_EXECUTION",
    takes: "on or off",
    description:
      "`on` lets agents claim and start actions on the professional network. While this setting is `off`, they can report what happened there, but not send.",
    secret: false,
    schema: z.enum(["on", "off"]).default("off"),
  }),
  allowPrivateCallbacks: setting({
    env: "ROSTRUM_ALLOW_PRIVATE_CALLBACKS",
    takes: "1 or 0",
    description:
      "`1` allows webhooks to http://127.0.0.1, http://[::1] and private addresses. Use it for local development only. Default: 0.",
    secret: false,
    schema: z
      .enum(["0", "1"])
      .default("0")
      .transform((text) => text === "1"),
  }),
  dataKey: setting({
    env: "ROSTRUM_DATA_KEY",
    takes: "32 bytes in base64",
    description:
      "The key that encrypts webhook secrets, mail settings and unsubscribe links, as 32 bytes in base64. Default: a key in the data folder, created at the first start.",
    secret: true,
    schema: z
      .string()
      .refine((text) => Buffer.from(text, "base64").length === 32)
      .optional(),
  }),
  checklistCatalog: setting({
    env: "ROSTRUM_CHECKLIST_CATALOG",
    takes: "a YAML file",
    description:
      "A YAML file with your own catalog for the social checklist. See docs/checklist.md. Default: the built-in catalog.",
    secret: false,
    schema: z.string().min(1).optional(),
  }),
  workers: setting({
    env: "ROSTRUM_WORKERS",
    takes: "on or off",
    description:
      "With `off`, this server only answers requests. Another server on the same database must then do the background work, such as sending messages, delivering events and ending the leases of agents that stopped responding.",
    secret: false,
    schema: z.enum(["on", "off"]).default("on"),
  }),
  smtpUrl: setting({
    env: "SMTP_URL",
    takes: "smtps://user:password@host:port or smtp://…, without path or query",
    description:
      "The mail server for outgoing email, including invitations and password resets. With an `smtp://` URL, the connection begins in plain text and must upgrade to TLS, unless the mail server runs on this machine. Default: the mail server set in the console, if any.",
    secret: true,
    schema: parsedBy((text) => parseMailServer(text, SMTP)).optional(),
  }),
  mailFrom: setting({
    env: "MAIL_FROM",
    takes: "an email address, or Name <address>",
    description:
      "The sender address of emails, which also receives replies. Required with `SMTP_URL` and with `IMAP_URL`. Default: the sender set in the console, if any.",
    secret: false,
    schema: parsedBy(parseSender).optional(),
  }),
  imapUrl: setting({
    env: "IMAP_URL",
    takes: "imaps://user:password@host:port or imap://…, without path or query",
    description:
      "The mailbox of `MAIL_FROM`. Rostrum reads its inbox for replies and bounces, and changes nothing in it. With an `imap://` URL, the connection begins in plain text and must upgrade to TLS, unless the mail server runs on this machine. Default: the mailbox set in the console, if any.",
    secret: true,
    schema: parsedBy((text) => parseMailServer(text, IMAP)).optional(),
  }),
  oidcIssuer: setting({
    env: "ROSTRUM_OIDC_ISSUER",
    takes: "an https URL without credentials, query or fragment; http only on this machine",
    description:
      "The issuer URL of an OpenID Connect provider for single sign-on. See docs/signing-in.md. Default: passwords only.",
    secret: false,
    schema: z
      .url({ protocol: /^https?$/ })
      .refine(isIssuer)
      .optional(),
  }),
  oidcClientId: setting({
    env: "ROSTRUM_OIDC_CLIENT_ID",
    takes: "1 to 500 characters",
    description:
      "The client ID of this server at the provider. Its redirect URI ends in `/console/single-sign-on/callback`.",
    secret: false,
    schema: z.string().max(500).optional(),
  }),
  oidcClientSecret: setting({
    env: "ROSTRUM_OIDC_CLIENT_SECRET",
    takes: "1 to 2000 characters",
    description: "The client secret of this server at the provider.",
    secret: true,
    schema: z.string().max(2_000).optional(),
  }),
  oidcName: setting({
    env: "ROSTRUM_OIDC_NAME",
    takes: "1 to 60 characters",
    description: "The provider's name on the sign-in button.",
    secret: false,
    schema: z.string().trim().min(1).max(60).default("single sign-on"),
  }),
  corsOrigins: setting({
    env: "ROSTRUM_CORS_ORIGINS",
    takes: "origins such as https://app.example.com, separated by commas",
    description:
      "Web origins that can call the API and the MCP endpoint from a browser with an API key, separated by commas. Default: none.",
    secret: false,
    schema: z
      .string()
      .transform((text) => text.split(",").map((origin) => origin.trim()))
      .refine((origins) => origins.every(isOrigin))
      .default([]),
  }),
  oauthClientDocuments: setting({
    env: "ROSTRUM_OAUTH_CLIENT_DOCUMENTS",
    takes: "on or off",
    description:
      "Whether MCP clients can identify themselves by the URL of a metadata document, which this server fetches. " +
      "Turn it off if this server has no internet access. Clients then register instead. See docs/oauth.md.",
    secret: false,
    schema: z.enum(["on", "off"]).default("on"),
  }),
  healthPort: setting({
    env: "ROSTRUM_HEALTH_PORT",
    takes: "a port from 0 to 65535",
    description:
      "Also serves /healthz and /readyz on this port of `ROSTRUM_HOST`, from a separate thread that responds even when the server is busy. Default: the main port only.",
    secret: false,
    schema: port.optional(),
  }),
  drainSeconds: setting({
    env: "ROSTRUM_DRAIN_SECONDS",
    takes: "seconds from 0 to 300",
    description:
      "How many seconds the server keeps serving after SIGTERM. During this time, /readyz answers 503, so a load balancer sends requests to other servers. With SIGINT or `--ephemeral`, the server skips this wait.",
    secret: false,
    schema: number(/^\d{1,3}(?:\.\d{1,3})?$/, z.number().max(300)).default(2),
  }),
  maxConnections: setting({
    env: "ROSTRUM_MAX_CONNECTIONS",
    takes: "a number from 1 to 100000",
    description: "The maximum number of open connections. Additional connections are closed immediately.",
    secret: false,
    schema: number(/^\d{1,6}$/, z.int().min(1).max(100_000)).default(2_000),
  }),
  maxInFlight: setting({
    env: "ROSTRUM_MAX_IN_FLIGHT",
    takes: "a number from 1 to 100000",
    description:
      "The maximum number of requests in progress. Additional requests get 503 `overloaded`. See docs/operating.md.",
    secret: false,
    schema: number(/^\d{1,6}$/, z.int().min(1).max(100_000)).default(400),
  }),
  readBudget: setting({
    env: "ROSTRUM_READ_BUDGET",
    takes: "a number from 1 to 1000000",
    description:
      "How many times in 60 seconds an API key can list contacts, list sequences or get a contact, counted together. Default: no limit.",
    secret: false,
    schema: number(/^\d{1,7}$/, z.int().min(1).max(1_000_000)).optional(),
  }),
  logLevel: setting({
    env: "ROSTRUM_LOG_LEVEL",
    takes: "fatal, error, warn, info, debug, trace or silent",
    description:
      "How much to log to stderr: silent, fatal, error, warn, info, debug or trace. `debug` logs every call of an operation.",
    secret: false,
    schema: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  }),
  accessLog: setting({
    env: "ROSTRUM_ACCESS_LOG",
    takes: "on or off",
    description:
      "Whether to write an access log: a line on stderr for each request, with its path, status and time, but without tokens, queries and bodies.",
    secret: false,
    schema: z.enum(["on", "off"]).default("off"),
  }),
  tracing: setting({
    env: "ROSTRUM_TRACING",
    takes: "on or off",
    description: "Whether to trace REST and MCP requests with OpenTelemetry. See docs/monitoring.md.",
    secret: false,
    schema: z.enum(["on", "off"]).default("off"),
  }),
  metricsPort: setting({
    env: "ROSTRUM_METRICS_PORT",
    takes: "a port from 0 to 65535",
    description: "Serves /metrics on this port of 127.0.0.1, without a token. Default: not served.",
    secret: false,
    schema: port.optional(),
  }),
  metricsToken: setting({
    env: "ROSTRUM_METRICS_TOKEN",
    takes: "at least 16 characters",
    description: "Serves /metrics on the main port to callers with this bearer token. Default: not served.",
    secret: true,
    schema: z.string().min(16).optional(),
  }),
} as const;

type Settings = typeof SETTINGS;
type Given = { [Name in keyof Settings]: z.output<Settings[Name]["schema"]> };
type Oidc = "oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcName";
export type Config = Omit<Given, Oidc> & {
  /** The provider of single sign-on, where there is one. */
  oidc: { issuer: string; clientId: string; clientSecret: string; name: string } | undefined;
};

/** What a setting does, with its default. */
export function describeSetting({ description, schema }: Setting<z.ZodType>): string {
  if (description.includes("Default:")) return description;
  const value = schema.safeParse(undefined).data;
  return value === undefined ? description : `${description} Default: ${value}.`;
}

/** What the option of a setting does, with the variable and the default that apply without it. */
export function describeFlag({ env, flagHelp, schema }: Setting<z.ZodType>): string {
  return `${flagHelp} (default: ${env}, or ${schema.safeParse(undefined).data})`;
}

/** A setting that cannot be used. Its message names the setting and what it takes. */
export class BadSetting extends UsageError {}

const NAMES = Object.keys(SETTINGS) as (keyof Settings)[];

type Flags = { readonly [Name in keyof Settings]?: string | undefined };

/** Variables by name. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Variables in the working directory, for what the environment does not set. */
export const ENV_FILE = ".env";

/**
 * The variables of the process, and those of `.env` that it does not have. An empty variable of the process hides the
 * one in `.env`.
 *
 * @throws BadSetting where the file can't be read
 */
export function environment({ file = true } = {}): Variables {
  return { ...(file && readEnvFile()), ...process.env };
}

function readEnvFile(): Variables {
  try {
    return parseEnv(scanEnvFile(readFileSync(ENV_FILE, "utf8")).sound);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR") return {};
    throw new BadSetting(`${ENV_FILE} can't be read (${code}). Let this user read it, or remove it.`);
  }
}

/** The names of variables that only `.env` sets. */
export function envFileVariables(): Set<string> {
  return new Set(Object.keys(readEnvFile()).filter((name) => process.env[name] === undefined));
}

/** Names a file that holds a secret: orchestrators mount secrets as files. */
const fileVariable = ({ env }: Pick<Setting<z.ZodType>, "env">): string => `${env}_FILE`;

/**
 * The text of a setting, and the flag or variable that it is from. Both are undefined where the default applies. An
 * empty variable counts as unset.
 *
 * @throws BadSetting
 */
function assigned(name: keyof Settings, flags: Flags, env: Variables): { text?: string; from?: string } {
  const declared: Setting<z.ZodType> = SETTINGS[name];
  const flagged = flags[name];
  if (flagged !== undefined) return { text: flagged, from: flagOf(declared) ?? declared.env };
  const text = env[declared.env] || undefined;
  const from = fileVariable(declared);
  const file = (declared.secret && env[from]) || undefined;
  if (file === undefined) return text === undefined ? {} : { text, from: declared.env };
  if (text !== undefined) throw new BadSetting(`Set ${declared.env} or ${from}, not both.`);
  return { text: readSecret(file, from), from };
}

/** The text of a file, without the line break that editors and `echo` put at its end. */
function readSecret(file: string, variable: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BadSetting(`${variable} must name a file that this user can read, not ${file} (${code}).`);
  }
}

const flagOf = ({ flag }: Setting<z.ZodType>) => flag?.split(" ")[0];

/** The flag or variable that a setting has its value from. A default can be changed with the flag, if there is one. */
export function sourceOf(name: keyof Settings, flags: Flags, env: Variables = environment()): string {
  const declared: Setting<z.ZodType> = SETTINGS[name];
  return assigned(name, flags, env).from ?? flagOf(declared) ?? declared.env;
}

/** @throws BadSetting */
function readSetting(name: keyof Settings, flags: Flags, env: Variables): unknown {
  const { takes, schema, secret }: Setting<z.ZodType> = SETTINGS[name];
  const { text, from } = assigned(name, flags, env);
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new BadSetting(
    `${shownSource(name, from as string, flags)} must be ${takes}${secret ? "" : `, not ${JSON.stringify(text)}`}.`,
  );
}

/** The flag or variable that a text is from, and the file that holds it if the environment doesn't. */
function shownSource(name: keyof Settings, from: string, flags: Flags): string {
  const isInFile = flags[name] === undefined && process.env[from] === undefined && from in readEnvFile();
  return isInFile ? `${from} in ${ENV_FILE}` : from;
}

/** A setting as it is in effect. */
export interface EffectiveSetting {
  /** The name of its variable. */
  setting: string;
  /** Null where there is none. A secret is masked. */
  value: string | null;
  /** The flag or the variable that it is from; `default` where nothing sets it. */
  source: string;
  /** Why it can't be used. Absent if it can. */
  problem?: string;
}

/** Every setting with its value and where that is from, for people, even if some can't be used. */
export function effectiveSettings(flags: Flags = {}): EffectiveSetting[] {
  const env = environment();
  return NAMES.map((name) => {
    const { env: setting, secret, schema }: Setting<z.ZodType> = SETTINGS[name];
    try {
      const { text, from } = assigned(name, flags, env);
      const value = text ?? shownDefault(schema);
      const source = from === undefined ? "default" : shownSource(name, from, flags);
      const shown = { setting, value: secret && value !== null ? masked(value) : value, source };
      const problem = problemOf(name, flags, env);
      return problem === undefined ? shown : { ...shown, problem };
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      return { setting, value: null, source: setting, problem: error.message };
    }
  });
}

function problemOf(name: keyof Settings, flags: Flags, env: Variables): string | undefined {
  try {
    readSetting(name, flags, env);
    return undefined;
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    return error.message;
  }
}

/** What is wrong with each setting alone; if nothing is, with the settings together. Empty where a server could start. */
export function settingProblems(flags: Flags = {}): string[] {
  try {
    const env = environment();
    const problems = NAMES.flatMap((name) => problemOf(name, flags, env) ?? []);
    if (problems.length > 0) return problems;
    readConfig(flags, env);
    return [];
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    return [error.message];
  }
}

/** Lines of `.env` that set nothing, and variables that it sets twice. */
export function envFileFaults(): string[] {
  try {
    return scanEnvFile(readFileSync(ENV_FILE, "utf8")).faults;
  } catch {
    return [];
  }
}

/** A line that sets a variable, with what follows the equals sign. */
const ASSIGNMENT = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)/s;

/** Lines that set nothing are left out: Node.js would take such a line and the next one for one long name. */
function scanEnvFile(text: string): { sound: string; faults: string[] } {
  const sound: string[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  /** The quote of a value that continues on the next lines. */
  let open: string | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, name, value = ""] = ASSIGNMENT.exec(line) ?? [];
    if (open !== undefined) {
      if (line.includes(open)) open = undefined;
    } else if (name !== undefined) {
      const [, quote] = /^(["'`])/.exec(value) ?? [];
      if (quote !== undefined && !value.slice(1).includes(quote)) open = quote;
      if (seen.has(name)) faults.push(`line ${i + 1} of ${ENV_FILE} replaces an earlier value of ${name}`);
      seen.add(name);
    } else if (!/^\s*(?:#|$)/.test(line)) {
      faults.push(`line ${i + 1} of ${ENV_FILE} is not NAME=value and is ignored`);
      continue;
    }
    sound.push(line);
  }
  return { sound: sound.join("\n"), faults };
}

function shownDefault(schema: z.ZodType): string | null {
  const { data } = schema.safeParse(undefined);
  if (data === undefined || (Array.isArray(data) && data.length === 0)) return null;
  return String(typeof data === "boolean" ? Number(data) : data);
}

/** Shows the URL of a server without its password, and nothing of any other secret. */
function masked(secret: string): string {
  return /^(?:smtps?|imaps?|postgres(?:ql)?):\/\//.test(secret) ? shownUrl(secret) : "***";
}

/**
 * Reads the settings: flags win over the environment, the environment over defaults.
 *
 * @param env by default the variables of the process and of `.env`
 * @throws BadSetting
 */
export function readConfig(flags: Flags = {}, env: Variables = environment()): Config {
  const entries = NAMES.map((name) => [name, readSetting(name, flags, env)]);
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName, ...rest } = Object.fromEntries(entries) as Given;
  const config: Config = { ...rest, oidc: undefined };
  for (const name of ["smtpUrl", "imapUrl"] as const) {
    if (config[name] !== undefined && config.mailFrom === undefined) {
      throw new BadSetting(`${SETTINGS[name].env} requires MAIL_FROM, the sender's address.`);
    }
  }
  requirePublicUrl(config);
  if (oidcIssuer === undefined && oidcClientId === undefined && oidcClientSecret === undefined) return config;
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined) {
    throw new BadSetting(
      "Set ROSTRUM_OIDC_ISSUER, ROSTRUM_OIDC_CLIENT_ID and ROSTRUM_OIDC_CLIENT_SECRET together, or none of them.",
    );
  }
  if (!isReachable(config)) {
    throw new BadSetting(
      "ROSTRUM_OIDC_ISSUER requires ROSTRUM_PUBLIC_URL, because the provider redirects there after sign-in.",
    );
  }
  const oidc = { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret, name: oidcName };
  return { ...config, oidc };
}

/** Whether links to this server work: its public address is set, or only this machine reaches it. */
export function isReachable({ publicUrl, host }: Pick<Config, "publicUrl" | "host">): boolean {
  return publicUrl !== undefined || isLoopback(host);
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const sound = protocol === "https:" || isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"));
  return sound && username + password + search + hash === "";
}

/** Whether links lead to an address that the readers of emails can open. */
export function hasPublicLinks({ publicUrl }: Pick<Config, "publicUrl">): boolean {
  return publicUrl?.startsWith("https:") === true;
}

/**
 * Every message carries an unsubscribe link, which must work.
 *
 * @param subject the mail server, as its admin knows it
 * @throws BadSetting
 */
export function requirePublicUrl({ smtpUrl, outboundGate, publicUrl }: Config, subject = "SMTP_URL"): void {
  if (smtpUrl === undefined || smtpUrl.local || outboundGate !== "open" || hasPublicLinks({ publicUrl })) return;
  throw new BadSetting(
    `Set ROSTRUM_PUBLIC_URL to an https URL. Sending with ${subject} and ROSTRUM_OUTBOUND_GATE=open needs it, because every email has an unsubscribe link.`,
  );
}

const PREFIX = "ROSTRUM_";

/** Variables that begin with ROSTRUM_ and are no setting: probably misspelled. */
export function unknownVariables(env: Variables = environment()): { name: string; nearest?: string }[] {
  const known = Object.values(SETTINGS).flatMap((declared) =>
    declared.secret ? [declared.env, fileVariable(declared)] : [declared.env as string],
  );
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      // The prefix, which all share, makes any two names alike.
      const nearest = nearestName(
        name.slice(PREFIX.length),
        known.map((one) => one.replace(PREFIX, "")),
      );
      const full = known.find((one) => one.replace(PREFIX, "") === nearest);
      return full === undefined ? { name } : { name, nearest: full };
    });
}
