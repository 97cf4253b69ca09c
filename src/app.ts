import { join } from "node:path";
import { type Config, isReachable } from "./config.ts";
import { memberApi, type SignIn } from "./console/app/member-api.ts";
import { mountConsole } from "./console/app/router.ts";
import { memberSignIn } from "./console/app/session.ts";
import { type AsSystem, type Clock, createSystem } from "./core/context.ts";
import { createInvoke, createRefuse, type Invoke } from "./core/invoke.ts";
import {
  createChallengeLimits,
  createConnectLimits,
  createLimits,
  createSignInLimits,
  type Limits,
} from "./core/rate-limits.ts";
import type { Catalog } from "./domain/checklist/catalog.ts";
import { createCallbacks } from "./events/challenge.ts";
import { mountErrorHandlers } from "./http/error-handler.ts";
import { guardHost, staysHere } from "./http/guards.ts";
import { mountHealth, mountMetrics, serveMetrics } from "./http/health.ts";
import { stampRequests } from "./http/reply.ts";
import { createWebApp, listen, stopServer, urlOf } from "./http/server.ts";
import { readServerUrl, removeServerUrl, writeServerUrl } from "./http/server-url-file.ts";
import { mountUnsubscribe } from "./http/unsubscribe.ts";
import { AuthLog } from "./identity/auth-log.ts";
import { createAuthenticate } from "./identity/authenticate.ts";
import { createClients } from "./identity/oauth/clients.ts";
import { mountOAuth } from "./identity/oauth/endpoints.ts";
import { createGrants } from "./identity/oauth/grants.ts";
import { createSignInService } from "./identity/sign-in.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import type { Log } from "./lib/log.ts";
import { createMetrics } from "./lib/metrics.ts";
import { openVault, type Vault } from "./lib/vault.ts";
import { VERSION } from "./lib/version.ts";
import { createMailer } from "./mail/mailer.ts";
import type { Sender } from "./mail/server.ts";
import { UNSUBSCRIBE_PATH } from "./mail/unsubscribe.ts";
import { mountMcp } from "./mcp/endpoint.ts";
import { createToolbox } from "./mcp/server.ts";
import { createGuardedClient, type GuardedClient } from "./net/client.ts";
import type { Lookup } from "./net/connector.ts";
import { mountReference } from "./rest/reference.ts";
import { restRouter } from "./rest/router.ts";
import { catalogFrom, noteCatalog } from "./services/checklist/catalog-file.ts";
import { createOptOuts } from "./services/outreach/suppression.ts";
import { type OpenedStore, openSqliteStore } from "./store/sqlite/index.ts";
import { operations } from "./tools/index.ts";
import { MOST_TO_HOST } from "./workers/lanes.ts";
import { startWorkers } from "./workers/start.ts";

export { VaultError } from "./lib/vault.ts";
export { backUp, inspectDatabase, MaintenanceRefused, restore } from "./store/sqlite/maintenance.ts";
export { IncompatibleDatabase, prereleaseMessage } from "./store/sqlite/migrate.ts";

/** What a test or the benchmark brings in place of the real thing. */
export interface Overrides {
  clock?: Clock;
  limits?: Limits;
  signIn?: SignIn;
  /** How the names of callback addresses are resolved. */
  lookup?: Lookup;
  /** Whom callback addresses may prove themselves by, instead of the system's authorities. */
  ca?: string;
  /** What fetches the documents of MCP clients. */
  documents?: Pick<GuardedClient, "get">;
  /** POSTs to subscribers under way at a time. */
  deliveriesAtATime?: number;
  /** The checklist to work by, instead of what the settings name. */
  catalog?: () => Catalog;
}

/** The part of the house that needs no network: the store and the one pipeline. The command line runs on it alone. */
export interface Core {
  store: OpenedStore;
  trail: AuthLog;
  invoke: Invoke;
  /** How the server itself writes. */
  asSystem: AsSystem;
  /** @throws BadCatalog where the team's own file cannot be used */
  catalog(): Catalog;
  close(): Promise<void>;
}

export function databaseFile(data: string): string {
  return join(data, "rostrum.db");
}

/** Of messages that are written to files, and not sent. */
const NOBODY: Sender = { name: "", address: "nobody@rostrum.invalid" };

const systemClock: Clock = { now: () => Date.now() };

/** The key that seals secrets lies beside the database, and outside its backups. */
export function dataKeyFile(data: string): string {
  return join(data, "data.key");
}

async function openParts(
  config: Config,
  log: Log,
  serves: boolean,
  { clock = systemClock, limits = createLimits(), lookup, ca, documents, catalog: named }: Overrides,
) {
  const catalog = named ?? catalogFrom(config.checklistCatalog);
  // A team's own file is checked before all else; the shipped one a command reads only when it needs it.
  if (serves || config.checklistCatalog !== undefined) catalog();
  const store = await openSqliteStore(databaseFile(config.data), clock.now());
  let vault: Vault;
  try {
    const { sealed, recorded } = await store.dataKeys();
    // A server may take another key while nothing is sealed; a command beside it may not.
    const bound = sealed.length > 0 || recorded === undefined || serves ? sealed : [recorded];
    vault = openVault(dataKeyFile(config.data), config.dataKey, bound);
    if (vault.keyId !== recorded) await store.recordDataKey(vault.keyId, clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  if (store.upgradedFrom)
    log.info({ backup: store.upgradedFrom }, "the schema was upgraded; the copy from before is kept");
  const trail = new AuthLog(clock);
  const authenticate = createAuthenticate(store, trail, clock);
  const metrics = createMetrics(
    () => store.queueDepth,
    () => trail.dropped,
  );
  const refuse = createRefuse(store, log);
  const reach = { allowPrivate: config.allowPrivateCallbacks };
  const client = createGuardedClient({
    ...reach,
    connections: MOST_TO_HOST,
    ...(lookup && { lookup }),
    ...(ca && { ca }),
  });
  const callbacks = createCallbacks({ client, reach, limits: createChallengeLimits(), clock });
  // Documents of clients come from public addresses alone, whatever callbacks may.
  const strangers = createGuardedClient({ allowPrivate: false, connections: 2, ...(lookup && { lookup }) });
  const clients = createClients({
    store,
    client: documents ?? strangers,
    limits: createChallengeLimits("requests"),
    clock,
  });
  const closeClients = async () => void (await Promise.all([client.close(), strangers.close()]));
  const outbox = { wake: () => {} };
  // A command prints links to the server that runs beside it.
  const beside = serves ? undefined : readServerUrl(config.data);
  const place = { url: config.publicUrl ?? beside ?? urlOf(config.host, config.port), port: 0 };
  const shared = { vault, deployment: config, catalog, log, url: () => place.url };
  const system = createSystem({
    ...{ store, clock, ...shared },
    wake: () => outbox.wake(),
  });
  const invoke = createInvoke({
    ...{ store, trail, limits, clock, refuse, metrics, callbacks, clients, ...shared },
    wake: () => outbox.wake(),
  });
  const { oidc } = config;
  const singleSignOn = oidc && createSingleSignOn(oidc, { vault, clock, log, url: () => place.url });
  const mailsLinks = config.smtpUrl !== undefined && isReachable(config);
  const entrance = createSignInService({ store, trail, clock, limits: createSignInLimits(), singleSignOn, mailsLinks });
  const own = { place, entrance, system, catalog, mailsLinks, clients, closeClients };
  return { store, trail, authenticate, metrics, invoke, refuse, clock, limits, vault, client, outbox, ...own };
}

export async function openCore(config: Config, log: Log, seams: Overrides = {}): Promise<Core> {
  const parts = await openParts(config, log, false, seams);
  const { store, trail, invoke, catalog, closeClients, system: asSystem } = parts;
  return {
    ...{ store, trail, invoke, asSystem, catalog },
    async close() {
      await closeClients();
      await trail.flush(store);
      await store.close();
    },
  };
}

export interface Running extends Core {
  /** The address that people and agents reach it by, without a trailing slash. */
  url: string;
  /** The port it listens on. */
  port: number;
  /** Where /metrics is served without a token. */
  metricsUrl: string | undefined;
}

/** Starts everything: REST, MCP, the reference page and the background jobs. */
export async function startApp(config: Config, log: Log, seams: Overrides = {}): Promise<Running> {
  const parts = await openParts(config, log, true, seams);
  const { store, trail, authenticate, metrics, invoke, refuse, clock, limits, client, vault, outbox } = parts;
  const { place, entrance, system, catalog, mailsLinks, clients, closeClients } = parts;
  let stopping = false;
  let mailboxReads = true;

  const guard = guardHost(config.host, config.publicUrl, [UNSUBSCRIBE_PATH]);
  const { app, server } = createWebApp(config.trustProxy, [
    guard,
    restRouter(operations, invoke, authenticate),
    memberApi(operations, invoke, seams.signIn ?? memberSignIn(entrance, config.publicUrl), config.publicUrl),
  ]);
  stampRequests(app);
  mountMcp(app, {
    operations,
    invoke,
    authenticate,
    limits,
    refuse,
    log,
    toolbox: createToolbox(operations),
    identity: { name: "rostrum", title: "Rostrum", version: VERSION },
    url: () => place.url,
  });
  mountReference(app, operations);
  const pages = mountConsole(app, {
    ...{ operations, invoke, entrance, clients, clock, log, version: store.version },
    url: () => place.url,
    publicUrl: config.publicUrl,
    staysHere: staysHere(config),
  });
  mountOAuth(app, {
    ...{ clients, store, log, grants: createGrants({ store, asSystem: system }), limits: createConnectLimits() },
    url: () => place.url,
  });
  const optOuts = createOptOuts(vault, system, store);
  const { readToken: read, unsubscribe } = optOuts;
  mountUnsubscribe(app, { path: UNSUBSCRIBE_PATH, read, unsubscribe, log });
  mountHealth(app, store, () => ({ stopping, mailboxReads }));
  if (config.metricsToken !== undefined) mountMetrics(app, metrics, config.metricsToken);
  mountErrorHandlers(app, log);
  let inside: Awaited<ReturnType<typeof serveMetrics>>;
  try {
    inside = await serveMetrics(config.metricsPort, metrics);
    place.port = await listen(server, config.port, config.host);
    place.url = config.publicUrl ?? urlOf(config.host, place.port);
    writeServerUrl(config.data, place.url);
    noteCatalog(config.data, config.checklistCatalog);
  } catch (error) {
    await inside?.close();
    await closeClients();
    await store.close();
    throw error;
  }
  const workers = startWorkers({
    background: config.workers === "on",
    deployment: config,
    ...{ store, client, vault, clock, log, metrics, trail, catalog, asSystem: system, ...optOuts },
    ...(seams.deliveriesAtATime === undefined ? {} : { most: seams.deliveriesAtATime }),
    mailer: await createMailer({ server: config.smtpUrl, folder: join(config.data, "mail") }),
    smtp: config.smtpUrl,
    from: config.mailFrom ?? NOBODY,
    mailbox: config.imapUrl,
    mailsLinks,
    provider: config.oidc?.name,
    mailboxReads(reads) {
      mailboxReads = reads;
      metrics.mailboxReads(reads);
    },
    mailboxSetAside: () => metrics.mailboxSetAside(),
    url: () => place.url,
  });
  outbox.wake = () => workers.wake();

  return {
    ...{ store, trail, invoke },
    asSystem: system,
    catalog,
    ...place,
    metricsUrl: inside?.url,
    async close() {
      stopping = true;
      pages.close();
      removeServerUrl(config.data, place.url);
      await Promise.all([stopServer(server), inside?.close()]);
      await workers.stop();
      await closeClients();
      await trail
        .flush(store)
        .catch((error: unknown) => log.warn({ err: error }, "last uses of keys were not written"));
      await store.close();
    },
  };
}
