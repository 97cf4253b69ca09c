import { existsSync, mkdirSync } from "node:fs";
import { type Config, hasPublicLinks } from "../config.ts";
import type { SignIn } from "../console/app/member-api.ts";
import { type AsSystem, createSystem, type Deployment, type Shared } from "../core/context.ts";
import { createInvoke, createRefuse, type FindSeat, type Invoke } from "../core/invoke.ts";
import { createLimits, type Limits } from "../core/policy.ts";
import { stateOf } from "../core/server-probe.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import { createCallbacks, createChallengeLimits } from "../events/challenge.ts";
import { emitEvent } from "../events/emit.ts";
import { readServerUrl, urlOf } from "../http/server-url-file.ts";
import { ConnectionLog } from "../identity/connection-log.ts";
import { createClients } from "../identity/oauth/clients.ts";
import { databaseFile, dataKeyFile, movedNote, movedTo, movingFile } from "../lib/data-folder.ts";
import { createGuardedClient, type GuardedClient } from "../lib/http-client/client.ts";
import type { Lookup } from "../lib/http-client/resolve.ts";
import { createThrottle, type Log } from "../lib/log.ts";
import { createMetrics } from "../lib/metrics.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { VERSION } from "../lib/package.ts";
import type { Clock } from "../lib/time.ts";
import { openVault, type Vault } from "../lib/vault.ts";
import { AuthLog } from "../services/access/auth-log.ts";
import { BadCatalog, catalogFrom } from "../services/checklist/catalog-file.ts";
import type { OpenedStore, StoreOptions } from "../store/engine.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import { MAX_TO_HOST } from "../workers/host-queues.ts";
import { createMailTester, createServerMail, environmentMail } from "./mail.ts";
import { createProbe, type Probe } from "./probe.ts";

/** What a test or the benchmark passes in place of the real thing, and what a start was told. */
export interface Overrides {
  /** The database is meant to be new, whatever is beside it. */
  newDatabase?: boolean;
  /** Runs before requests are served and jobs begin. */
  fill?: (store: OpenedStore) => Promise<void>;
  clock?: Clock;
  limits?: Limits;
  signIn?: SignIn;
  findSeat?: FindSeat;
  /** How the names of callback addresses are resolved. */
  lookup?: Lookup;
  /** The certificate authority that callback addresses are checked against, instead of the system's. */
  ca?: string;
  /** What fetches the documents of MCP clients. */
  documents?: Pick<GuardedClient, "get">;
  /** The most deliveries to subscribers in progress at a time. */
  deliveriesAtATime?: number;
  /** The checklist to use, instead of the one that the settings name. */
  catalog?: () => Catalog;
}

/** The store and the pipeline, without the server. Commands need nothing else. */
export interface Core {
  store: OpenedStore;
  authLog: AuthLog;
  invoke: Invoke;
  /** How the server itself writes. */
  asSystem: AsSystem;
  /** @throws BadCatalog where the team's own file cannot be used */
  catalog(): Catalog;
  close(): Promise<void>;
}

export async function openCore(config: Config, log: Log, overrides: Overrides = {}): Promise<Core> {
  const parts = await openParts(config, log, overrides, false);
  const { store, authLog, outgoing } = parts;
  return {
    ...coreOf(parts),
    async close() {
      await outgoing.close();
      await authLog.close(store);
      await store.close();
    },
  };
}

export function coreOf({ store, authLog, invoke, asSystem, shared }: Parts): Omit<Core, "close"> {
  return { store, authLog, invoke, asSystem, catalog: shared.catalog };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** @throws BadCatalog, which names the setting, once it's called */
function catalogOf({ checklistCatalog: file }: Config): () => Catalog {
  const read = catalogFrom(file);
  if (file === undefined) return read;
  return () => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BadCatalog)) throw error;
      throw new BadCatalog(`ROSTRUM_CHECKLIST_CATALOG must be a YAML file with a valid catalog. ${error.message}`);
    }
  };
}

/** @param serves whether this process is the server, rather than a command that may run next to it */
export async function openParts(config: Config, log: Log, overrides: Overrides, serves: boolean) {
  // Several servers on one database go by its clock.
  const skew = { ms: () => 0 };
  const skewed: Clock = { ...systemClock, now: () => Date.now() + skew.ms() };
  const {
    clock = config.databaseUrl === undefined ? systemClock : skewed,
    catalog = catalogOf(config),
    findSeat = ({ members }, { id }) => members.seat(id),
  } = overrides;
  // A team's own file is checked before all else; the shipped one is read by a command only when it needs it.
  if (serves || config.checklistCatalog !== undefined) catalog();
  const { store, vault, commits } = await openStore(config, log, clock, serves, overrides.newDatabase === true);
  skew.ms = store.skewMs;
  const limits = overrides.limits ?? createLimits(config.readBudget, store.counters);
  const authLog = new AuthLog(clock);
  const mail = createServerMail(config, store, vault);
  const probe = createProbe(config, store, mail, clock, log);
  const metrics = createMetrics({
    queueDepth: () => store.queueDepth,
    authEvents: authLog,
    disk: store.diskUse,
    backlog: () => store.backlog(clock.now()),
    lastBackup: async () => (await probe.lastBackup())?.at ?? null,
    jobs: () => jobsOf(probe),
    about: { version: VERSION, engine: store.engine },
  });
  commits.onFailure = metrics.commitFailed;
  const refuse = createRefuse(store, log);
  // A command prints links to the running server.
  const besideUrl = serves ? undefined : readServerUrl(config.data);
  const address = { url: config.publicUrl ?? besideUrl ?? urlOf(config.host, config.port), port: 0 };
  const outbox = { wake: () => {} };
  const url = () => address.url;
  const wake = () => outbox.wake();
  const connections = new ConnectionLog(clock);
  const deployment: Deployment = {
    outboundGate: config.outboundGate,
    socialnetExecution: config.socialnetExecution,
    mail: environmentMail(config),
    hasPublicLinks: hasPublicLinks(config),
  };
  const shared: Shared = { vault, deployment, catalog, log, url, connections, server: probe, emitEvent, wake };
  const asSystem = createSystem(store, clock, shared);
  const outgoing = createOutgoing(config, overrides, store, clock);
  const { callbacks, clients } = outgoing;
  const called = { callbacks, clients, findSeat, mailTester: createMailTester(url, clock) };
  const invoke = createInvoke({ ...shared, ...called, store, authLog, limits, clock, refuse, metrics });
  return {
    store,
    shared,
    probe,
    authLog,
    connections,
    metrics,
    refuse,
    clock,
    limits,
    address,
    outbox,
    asSystem,
    outgoing,
    mail,
    invoke,
  };
}

function jobsOf({ process }: Probe) {
  const { jobs = [], startedAt = 0 } = process() ?? {};
  return jobs.map((job) => ({
    name: job.name,
    isUp: !["failing", "late"].includes(stateOf(job, startedAt, Date.now())),
    succeededAt: job.succeededAt,
  }));
}

/** Opens the database and the vault whose key sealed what is in it. */
async function openStore(config: Config, log: Log, clock: Clock, serves: boolean, isNew: boolean) {
  const throttle = createThrottle();
  const commits = { onFailure: () => {} };
  const store = await openEngine(config, clock, {
    isNew,
    reserve: serves,
    onCommitFailed(error, jobs) {
      commits.onFailure();
      throttle("commit", (left) => log.error({ err: error, jobs, ...left }, "a commit failed; its writes were undone"));
    },
    onWrites: (fault) =>
      fault === undefined ? log.info("writes work again") : log.error({ err: fault.cause ?? fault }, fault.message),
    onUpgrade: (upgrade) =>
      log.info(upgrade, "upgrading the schema; the database is copied first. Don't stop the server"),
  });
  let vault: Vault;
  try {
    const { sealed, recorded } = await store.dataKeys();
    // A server may take another key while nothing is sealed. A command must not.
    const isBound = !serves && sealed.length === 0 && recorded !== undefined;
    vault = openVault(dataKeyFile(config.data), config.dataKey, isBound ? [recorded] : sealed, isBound);
    if (vault.keyId !== recorded) await store.recordDataKey(vault.keyId, clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  if (store.upgradedFrom) {
    log.info({ backup: store.upgradedFrom }, "the schema was upgraded; the copy of the old database is kept");
  }
  return { store, vault, commits };
}

const movedMessage = (data: string, to: string) =>
  `The data of this folder was moved to ${to}. Set ROSTRUM_DATABASE_URL to that database. ` +
  `To use the SQLite file again, without anything written since the move, delete ${movedNote(data)}.`;

const UNFINISHED_MOVE =
  "A move to SQLite is not finished. Run the same rostrum move again, or delete rostrum.db.moving in the data folder to start without the moved data.";

/** PostgreSQL where the settings name a database, else SQLite in the data folder. */
async function openEngine(config: Config, clock: Clock, options: StoreOptions): Promise<OpenedStore> {
  if (config.databaseUrl === undefined) {
    const moved = movedTo(config.data);
    if (moved !== undefined) throw new OperatorError(movedMessage(config.data, moved));
    if (existsSync(movingFile(databaseFile(config.data)))) throw new OperatorError(UNFINISHED_MOVE);
    return openSqliteStore(databaseFile(config.data), clock.now(), options);
  }
  // It holds what is no record: the data key, unless it is a setting, and emails that are not sent.
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  // Loaded only where it is used: it takes a tenth of a start.
  const { openPostgresStore } = await import("../store/postgres/index.ts");
  const { databaseUrl: url, databaseDirectUrl: directUrl, databaseConnections: connections } = config;
  return openPostgresStore({ url, directUrl, connections }, options);
}

/** What makes requests to addresses that callers name. */
function createOutgoing(config: Config, { lookup, ca, documents }: Overrides, store: OpenedStore, clock: Clock) {
  const reach = { allowPrivate: config.allowPrivateCallbacks };
  const callbackClient = createGuardedClient({
    allowPrivate: reach.allowPrivate,
    connections: MAX_TO_HOST,
    ...(lookup && { lookup }),
    ...(ca && { ca }),
  });
  const callbacks = createCallbacks({ client: callbackClient, reach, limits: createChallengeLimits(), clock });
  // Client documents come only from public addresses, whatever callbacks can reach.
  const publicClient = createGuardedClient({ allowPrivate: false, connections: 2, ...(lookup && { lookup }) });
  const limits = createChallengeLimits("requests");
  const readsDocuments = config.oauthClientDocuments === "on";
  const clients = createClients({ store, client: documents ?? publicClient, limits, clock, readsDocuments });
  const close = async () => void (await Promise.all([callbackClient.close(), publicClient.close()]));
  return { callbacks, clients, callbackClient, close };
}
