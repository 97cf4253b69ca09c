import { type Config, isReachable } from "./config.ts";
import { memberApi, type SignIn } from "./console/app/member-api.ts";
import { mountConsole } from "./console/app/router.ts";
import { memberSignIn } from "./console/app/session.ts";
import { type AsSystem, createSystem, type Shared } from "./core/context.ts";
import { createInvoke, createRefuse, type Invoke } from "./core/invoke.ts";
import { createLimits, type Limits } from "./core/policy.ts";
import type { Catalog } from "./domain/checklist/catalog.ts";
import { UNSUBSCRIBE_PATH } from "./domain/outreach/unsubscribe-link.ts";
import { createCallbacks, createChallengeLimits } from "./events/challenge.ts";
import { emitEvent } from "./events/emit.ts";
import { listenForCommands } from "./http/command-socket.ts";
import { mountErrorHandlers } from "./http/error-handler.ts";
import { mountHealth, mountMetrics, serveMetrics, storeCheck } from "./http/health.ts";
import { createWebApp, guardHost, isLocalOnly, listen, stampRequests, stopServer, urlOf } from "./http/server.ts";
import { readServerUrl, removeServerUrl, writeServerUrl } from "./http/server-url-file.ts";
import { mountUnsubscribe } from "./http/unsubscribe.ts";
import { createAuthenticate } from "./identity/authenticate.ts";
import { createClients } from "./identity/oauth/clients.ts";
import { mountOAuth } from "./identity/oauth/endpoints.ts";
import { createGrants } from "./identity/oauth/grants.ts";
import { createConnectLimits, createSignInLimits } from "./identity/rate-limits.ts";
import { createSignInService } from "./identity/sign-in.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { databaseFile, dataKeyFile, mailFolder } from "./lib/data-folder.ts";
import { diskFault } from "./lib/disk-fault.ts";
import { createGuardedClient, type GuardedClient } from "./lib/http-client/client.ts";
import type { Lookup } from "./lib/http-client/resolve.ts";
import type { Log } from "./lib/log.ts";
import { type Sender, senderText } from "./lib/mail-server.ts";
import { createMetrics } from "./lib/metrics.ts";
import { VERSION } from "./lib/package.ts";
import type { Clock } from "./lib/time.ts";
import { openVault, type Vault } from "./lib/vault.ts";
import { createMailer } from "./mail/mailer.ts";
import { mountMcp } from "./mcp/endpoint.ts";
import { createToolbox } from "./mcp/server.ts";
import { mountReference } from "./rest/reference.ts";
import { restRouter } from "./rest/router.ts";
import { AuthLog } from "./services/access/auth-log.ts";
import { catalogFrom, noteCatalog } from "./services/checklist/catalog-file.ts";
import { recordMailFrom } from "./services/outreach/approvals.ts";
import { createOptOuts } from "./services/outreach/suppression.ts";
import { type OpenedStore, openSqliteStore } from "./store/sqlite/index.ts";
import { operations } from "./tools/index.ts";
import { MAX_TO_HOST } from "./workers/host-queues.ts";
import { startWorkers, type Workers } from "./workers/start.ts";

/** What a test or the benchmark passes in place of the real thing, and what a start was told. */
export interface Overrides {
  /** The database is meant to be new, whatever is beside it. */
  newDatabase?: boolean;
  clock?: Clock;
  limits?: Limits;
  signIn?: SignIn;
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

/** The store and the pipeline, without the server. Commands run on it alone. */
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

export interface Running extends Core {
  /** The address that people and agents reach it by, without a trailing slash. */
  url: string;
  /** The port it listens on. */
  port: number;
  /** Where /metrics is served without a token. */
  metricsUrl: string | undefined;
}

export async function openCore(config: Config, log: Log, overrides: Overrides = {}): Promise<Core> {
  const { store, shared, authLog, invoke, asSystem, outgoing } = await openParts(config, log, overrides, false);
  return {
    store,
    authLog,
    invoke,
    asSystem,
    catalog: shared.catalog,
    async close() {
      await outgoing.close();
      await authLog.flush(store);
      await store.close();
    },
  };
}

/** Starts everything: REST, MCP, the console, the API reference and the background jobs. */
export async function startApp(config: Config, log: Log, overrides: Overrides = {}): Promise<Running> {
  const parts = await openParts(config, log, overrides, true);
  const { store, shared, authLog, invoke, asSystem, address, outbox, outgoing } = parts;
  const health = { stopping: false, mailboxReads: true };
  const optOuts = createOptOuts(shared.vault, asSystem, store);
  const { server, pages } = mountSurfaces(config, log, overrides, parts, optOuts, health);
  let metricsServer: Awaited<ReturnType<typeof serveMetrics>>;
  try {
    metricsServer = await serveMetrics(config.metricsPort, parts.metrics);
    address.port = await listen(server, config.port, config.host);
    address.url = config.publicUrl ?? urlOf(config.host, address.port);
    unlessDiskFails(config.data, log, () => {
      writeServerUrl(config.data, address.url);
      noteCatalog(config.data, config.checklistCatalog);
    });
  } catch (error) {
    await metricsServer?.close();
    await outgoing.close();
    await store.close();
    throw error;
  }
  const workers = await startBackground(config, log, overrides, parts, optOuts, health);
  outbox.wake = () => workers.wake();
  const commands = await listenForCommands(config.data, store.copyLive, log);

  return {
    store,
    authLog,
    invoke,
    asSystem,
    catalog: shared.catalog,
    url: address.url,
    port: address.port,
    metricsUrl: metricsServer?.url,
    async close() {
      health.stopping = true;
      pages.close();
      await commands.close();
      unlessDiskFails(config.data, log, () => removeServerUrl(config.data, address.url));
      await Promise.all([stopServer(server), metricsServer?.close()]);
      await workers.stop();
      await outgoing.close();
      await authLog
        .flush(store)
        .catch((error: unknown) => log.warn({ err: error }, "last uses of keys were not written"));
      await store.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;
type OptOuts = ReturnType<typeof createOptOuts>;

/**
 * A server whose disk is full can still read: it starts and stops without what only helps commands, and its log says
 * so.
 *
 * @throws what is wrong with anything but the disk
 */
function unlessDiskFails(data: string, log: Log, write: () => void): void {
  try {
    write();
  } catch (error) {
    const fault = diskFault(error, data);
    if (fault === undefined) throw error;
    log.warn(
      { err: error },
      `${fault.message} Until the next start, commands may not know the server's address and catalog.`,
    );
  }
}

/** What `/readyz` reports besides the database. */
interface Health {
  stopping: boolean;
  /** False if the mailbox cannot be read. Replies and bounces wait, all else works: the server stays ready and says so. */
  mailboxReads: boolean;
}

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** @param serves whether this process is the server, rather than a command that may run next to it */
async function openParts(config: Config, log: Log, overrides: Overrides, serves: boolean) {
  const { clock = systemClock, limits = createLimits(), catalog = catalogFrom(config.checklistCatalog) } = overrides;
  // A team's own file is checked before all else; the shipped one is read by a command only when it needs it.
  if (serves || config.checklistCatalog !== undefined) catalog();
  const { store, vault } = await openStore(config, log, clock, serves, overrides.newDatabase === true);
  const authLog = new AuthLog(clock);
  const metrics = createMetrics(
    () => store.queueDepth,
    () => authLog.dropped,
  );
  const refuse = createRefuse(store, log);
  // A command prints links to the running server.
  const besideUrl = serves ? undefined : readServerUrl(config.data);
  const address = { url: config.publicUrl ?? besideUrl ?? urlOf(config.host, config.port), port: 0 };
  const outbox = { wake: () => {} };
  const url = () => address.url;
  const wake = () => outbox.wake();
  const shared: Shared = { vault, deployment: config, catalog, log, url, emitEvent, wake };
  const asSystem = createSystem(store, clock, shared);
  const outgoing = createOutgoing(config, overrides, store, clock);
  const { callbacks, clients } = outgoing;
  const invoke = createInvoke({ ...shared, store, authLog, limits, clock, refuse, metrics, callbacks, clients });
  return { store, shared, authLog, metrics, refuse, clock, limits, address, outbox, asSystem, outgoing, invoke };
}

/** Opens the database and the vault whose key sealed what is in it. */
async function openStore(config: Config, log: Log, clock: Clock, serves: boolean, isNew: boolean) {
  const store = await openSqliteStore(databaseFile(config.data), clock.now(), {
    isNew,
    reserve: serves,
    onWrites: (fault) =>
      fault === undefined ? log.info("writes work again") : log.error({ err: fault.cause ?? fault }, fault.message),
    onUpgrade: (upgrade) =>
      log.info(upgrade, "upgrading the schema; the database is copied first. Don't stop the server"),
  });
  let vault: Vault;
  try {
    const { sealed, recorded } = await store.dataKeys();
    // A server may take another key while nothing is sealed. A command must not.
    const bound = sealed.length > 0 || recorded === undefined || serves ? sealed : [recorded];
    vault = openVault(dataKeyFile(config.data), config.dataKey, bound);
    if (vault.keyId !== recorded) await store.recordDataKey(vault.keyId, clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  if (store.upgradedFrom) {
    log.info({ backup: store.upgradedFrom }, "the schema was upgraded; the copy from before is kept");
  }
  return { store, vault };
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
  // Documents of clients come from public addresses alone, whatever callbacks may reach.
  const publicClient = createGuardedClient({ allowPrivate: false, connections: 2, ...(lookup && { lookup }) });
  const limits = createChallengeLimits("requests");
  const clients = createClients({ store, client: documents ?? publicClient, limits, clock });
  const close = async () => void (await Promise.all([callbackClient.close(), publicClient.close()]));
  return { callbacks, clients, callbackClient, close };
}

/** Everything that answers requests. The order of the mounts is the order in which requests pass them. */
function mountSurfaces(
  config: Config,
  log: Log,
  overrides: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  health: Readonly<Health>,
) {
  const { store, shared, authLog, metrics, invoke, refuse, clock, limits, asSystem } = parts;
  const { vault, url } = shared;
  const { clients } = parts.outgoing;
  const { publicUrl } = config;
  const authenticate = createAuthenticate(store, authLog, clock);
  const singleSignOn = config.oidc && createSingleSignOn(config.oidc, { vault, clock, log, url });
  const signInParts = { store, authLog, clock, limits: createSignInLimits(), singleSignOn };
  const entrance = createSignInService({ ...signInParts, mailsLinks: mailsLinks(config) });

  const { app, server } = createWebApp(config.trustProxy, [
    guardHost(config.host, publicUrl, [UNSUBSCRIBE_PATH]),
    restRouter(operations, invoke, authenticate),
    memberApi(operations, invoke, overrides.signIn ?? memberSignIn(entrance, publicUrl), publicUrl),
  ]);
  stampRequests(app);
  const identity = { name: "rostrum", title: "Rostrum", version: VERSION };
  const toolbox = createToolbox(operations);
  mountMcp(app, { operations, invoke, authenticate, authLog, limits, refuse, log, toolbox, identity, url });
  mountReference(app, operations);
  const pages = mountConsole(app, {
    operations,
    invoke,
    signInService: entrance,
    clients,
    clock,
    log,
    publicUrl,
    url,
    isLocalOnly: isLocalOnly(config),
    version: store.version,
  });
  mountOAuth(app, {
    clients,
    store,
    log,
    grants: createGrants({ store, asSystem }),
    limits: createConnectLimits(),
    url,
  });
  mountUnsubscribe(app, { path: UNSUBSCRIBE_PATH, read: optOuts.readToken, unsubscribe: optOuts.unsubscribe, log });
  mountHealth(app, [() => (health.stopping ? "stopping" : undefined), storeCheck(store)], () =>
    health.mailboxReads ? undefined : "the mailbox cannot be read",
  );
  if (config.metricsToken !== undefined) mountMetrics(app, metrics, config.metricsToken);
  mountErrorHandlers(app, log);
  return { server, pages };
}

/** Whether members are mailed links: by a mail server, to an address that they can reach. */
function mailsLinks(config: Config): boolean {
  return config.smtpUrl !== undefined && isReachable(config);
}

/** The sender of messages that are written to files, and not sent. */
const NO_SENDER: Sender = { name: "", address: "nobody@rostrum.invalid" };

async function startBackground(
  config: Config,
  log: Log,
  { deliveriesAtATime }: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  health: Health,
): Promise<Workers> {
  const { store, shared, outgoing, clock, metrics, authLog, asSystem } = parts;
  const { vault, catalog, url } = shared;
  const from = config.mailFrom ?? NO_SENDER;
  if (config.workers === "on") await recordMailFrom(store, asSystem, senderText(from), clock.now());
  return startWorkers({
    background: config.workers === "on",
    deployment: config,
    store,
    client: outgoing.callbackClient,
    vault,
    clock,
    log,
    metrics,
    authLog,
    catalog,
    asSystem,
    readToken: optOuts.readToken,
    unsubscribe: optOuts.unsubscribe,
    ...(deliveriesAtATime !== undefined && { most: deliveriesAtATime }),
    mailer: await createMailer({ server: config.smtpUrl, folder: mailFolder(config.data) }),
    smtp: config.smtpUrl,
    from,
    mailbox: config.imapUrl,
    mailsLinks: mailsLinks(config),
    provider: config.oidc?.name,
    mailboxReads(reads) {
      health.mailboxReads = reads;
      metrics.mailboxReads(reads);
    },
    mailboxSetAside: () => metrics.mailboxSetAside(),
    url,
  });
}
