import { resolve } from "node:path";
import { type Config, isReachable } from "./config.ts";
import { MEMBER_API_PREFIX, memberApi } from "./console/app/member-api.ts";
import { mountConsole } from "./console/app/router.ts";
import { memberSignIn } from "./console/app/session.ts";
import { MCP_PATH } from "./domain/access/oauth.ts";
import { UNSUBSCRIBE_PATH } from "./domain/outreach/unsubscribe-link.ts";
import { Admission, OVERLOADED, OVERLOADED_ENVELOPE, type OverloadAnswer } from "./http/admission.ts";
import { listenForCommands } from "./http/command-socket.ts";
import { mountErrorHandlers } from "./http/error-handler.ts";
import {
  HEALTH_PATHS,
  METRICS_PATH,
  mountHealth,
  mountMetrics,
  type ReadReadiness,
  readinessBy,
  serveMetrics,
  storeCheck,
} from "./http/health.ts";
import { serveHealth } from "./http/health-listener.ts";
import { createWebApp, guardHost, isLocalOnly, listen, stampRequests } from "./http/server.ts";
import { removeServerUrl, urlOf, writeServerUrl } from "./http/server-url-file.ts";
import { staticPage } from "./http/static-page.ts";
import { mountUnsubscribe } from "./http/unsubscribe.ts";
import { createAuthenticate } from "./identity/authenticate.ts";
import { mountOAuth } from "./identity/oauth/endpoints.ts";
import { createGrants } from "./identity/oauth/grants.ts";
import { createConnectLimits, createSignInLimits } from "./identity/rate-limits.ts";
import { createSignInService } from "./identity/sign-in.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { mailFolder } from "./lib/data-folder.ts";
import { diskFault } from "./lib/disk-fault.ts";
import type { Log } from "./lib/log.ts";
import { type Sender, senderText } from "./lib/mail-server.ts";
import { VERSION } from "./lib/package.ts";
import { createMailer } from "./mail/mailer.ts";
import { mountMcp } from "./mcp/endpoint.ts";
import { refusalMessage } from "./mcp/rpc.ts";
import { createToolbox } from "./mcp/server.ts";
import { type Core, type Overrides, openParts, type Parts } from "./open-core.ts";
import { mountReference } from "./rest/reference.ts";
import { restRouter } from "./rest/router.ts";
import { noteCatalog } from "./services/checklist/catalog-file.ts";
import { recordMailFrom } from "./services/outreach/approvals.ts";
import { createOptOuts } from "./services/outreach/suppression.ts";
import { operations } from "./tools/index.ts";
import { startWorkers, type Workers } from "./workers/start.ts";

export interface Running extends Core {
  /** The address that people and agents reach it by, without a trailing slash. */
  url: string;
  /** The port it listens on. */
  port: number;
  /** Where /metrics is served without a token. */
  metricsUrl: string | undefined;
  /** Where /healthz and /readyz are served by a thread of their own. */
  healthUrl: string | undefined;
  /**
   * Stops in order.
   *
   * @param drainMs how long to serve on while /readyz says that the server is stopping
   */
  close(drainMs?: number): Promise<void>;
}

/** Starts everything: REST, MCP, the console, the API reference and the background jobs. */
export async function startApp(config: Config, log: Log, overrides: Overrides = {}): Promise<Running> {
  const parts = await openParts(config, log, overrides, true);
  const { store, shared, authLog, invoke, asSystem, address, outbox, outgoing } = parts;
  const health = { stopping: false, mailboxReads: true };
  const optOuts = createOptOuts(shared.vault, asSystem, store);
  const readiness = readinessBy([() => (health.stopping ? "stopping" : undefined), storeCheck(store)], () =>
    health.mailboxReads ? undefined : "the mailbox cannot be read",
  );
  const { web, pages } = mountSurfaces(config, log, overrides, parts, optOuts, readiness);
  let metricsServer: Awaited<ReturnType<typeof serveMetrics>>;
  let healthListener: Awaited<ReturnType<typeof serveHealth>>;
  try {
    metricsServer = await serveMetrics(config.metricsPort, parts.metrics);
    healthListener = await serveHealth(config.healthPort, config.host, readiness);
    address.port = await listen(web.server, config.port, config.host);
    address.url = config.publicUrl ?? urlOf(config.host, address.port);
    unlessDiskFails(config.data, log, () => {
      writeServerUrl(config.data, address.url);
      noteCatalog(config.data, config.checklistCatalog);
    });
  } catch (error) {
    await Promise.all([metricsServer?.close(), healthListener?.close()]);
    await outgoing.close();
    await store.close();
    throw error;
  }
  const workers = await startBackground(config, log, overrides, parts, optOuts, health);
  outbox.wake = () => workers.wake();
  const commands = await listenForCommands(config.data, store.copyLive, log);
  await healthListener?.publish();
  const about = { version: VERSION, schema: store.schema, data: resolve(config.data) };
  log.info({ ...about, url: address.url, on: whatIsOn(config) }, "started");

  return {
    store,
    authLog,
    invoke,
    asSystem,
    catalog: shared.catalog,
    url: address.url,
    port: address.port,
    metricsUrl: metricsServer?.url,
    healthUrl: healthListener?.url,
    async close(drainMs = 0) {
      log.info(about, "stopping");
      health.stopping = true;
      await healthListener?.publish();
      await web.drain(drainMs);
      pages.close();
      await commands.close();
      unlessDiskFails(config.data, log, () => removeServerUrl(config.data, address.url));
      await Promise.all([web.stop(), metricsServer?.close()]);
      await workers.stop();
      await outgoing.close();
      await authLog
        .close(store)
        .catch((error: unknown) => log.warn({ err: error }, "last uses of keys were not written"));
      await store.close();
      await healthListener?.close();
      log.info(about, "stopped");
    },
  };
}

/** The parts that this server has on, for its log. */
function whatIsOn(config: Config): string[] {
  const background = config.workers === "on";
  const parts = {
    workers: background,
    events: background,
    outbound: config.outboundGate === "open",
    socialnet_execution: config.socialnetExecution === "on",
    email: config.smtpUrl !== undefined,
    mailbox: background && config.imapUrl !== undefined,
    single_sign_on: config.oidc !== undefined,
    metrics: config.metricsPort !== undefined || config.metricsToken !== undefined,
  };
  return Object.entries(parts).flatMap(([name, isOn]) => (isOn ? name : []));
}

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

/** Everything that answers requests. The order of the mounts is the order in which requests pass them. */
function mountSurfaces(
  config: Config,
  log: Log,
  overrides: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  readiness: ReadReadiness,
) {
  const { store, shared, authLog, metrics, invoke, refuse, clock, limits, asSystem } = parts;
  const { vault, url } = shared;
  const { clients } = parts.outgoing;
  const { publicUrl } = config;
  const authenticate = createAuthenticate(store, authLog, clock);
  const singleSignOn = config.oidc && createSingleSignOn(config.oidc, { vault, clock, log, url });
  const signInParts = { store, authLog, clock, limits: createSignInLimits(), singleSignOn };
  const entrance = createSignInService({ ...signInParts, mailsLinks: mailsLinks(config) });

  const web = createWebApp({
    trustProxy: config.trustProxy,
    early: [
      guardHost(config.host, publicUrl, [UNSUBSCRIBE_PATH]),
      restRouter(operations, invoke, authenticate),
      memberApi(operations, invoke, overrides.signIn ?? memberSignIn(entrance, publicUrl), publicUrl),
    ],
    admission: new Admission({
      maxInFlight: config.maxInFlight,
      exempt: [...HEALTH_PATHS, METRICS_PATH],
      answers: OVERLOAD_ANSWERS,
      onRefusal: metrics.overloaded,
    }),
    maxConnections: config.maxConnections,
    onDrop: metrics.connectionDropped,
  });
  const { app } = web;
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
  mountHealth(app, readiness);
  if (config.metricsToken !== undefined) mountMetrics(app, metrics, config.metricsToken);
  mountErrorHandlers(app, log);
  return { web, pages };
}

const OVERLOADED_PAGE: Omit<OverloadAnswer, "under"> = {
  body: staticPage(
    "Too busy just now",
    "The server has more requests than it can answer. Nothing was changed. Try again in a moment.",
  ),
  headers: { "content-type": "text/html; charset=utf-8" },
};

/** How an overloaded server answers where it does not by the failure envelope. */
const OVERLOAD_ANSWERS: readonly OverloadAnswer[] = [
  { under: MCP_PATH, ...OVERLOADED_ENVELOPE, body: refusalMessage(OVERLOADED, OVERLOADED_ENVELOPE.body) },
  { under: MEMBER_API_PREFIX, ...OVERLOADED_ENVELOPE },
  { under: "/console", ...OVERLOADED_PAGE },
  { under: UNSUBSCRIBE_PATH, ...OVERLOADED_PAGE },
];

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
    enlist: store.enlist,
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
