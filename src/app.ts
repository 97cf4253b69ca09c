import { type Config, isReachable } from "./config.ts";
import { memberApi } from "./console/app/member-api.ts";
import { mountConsole } from "./console/app/router.ts";
import { memberSignIn } from "./console/app/session.ts";
import { UNSUBSCRIBE_PATH } from "./domain/outreach/unsubscribe-link.ts";
import { mountErrorHandlers } from "./http/error-handler.ts";
import { mountHealth, mountMetrics, serveMetrics } from "./http/health.ts";
import { createWebApp, guardHost, isLocalOnly, listen, stampRequests, stopServer } from "./http/server.ts";
import { removeServerUrl, urlOf, writeServerUrl } from "./http/server-url-file.ts";
import { mountUnsubscribe } from "./http/unsubscribe.ts";
import { createAuthenticate } from "./identity/authenticate.ts";
import { mountOAuth } from "./identity/oauth/endpoints.ts";
import { createGrants } from "./identity/oauth/grants.ts";
import { createConnectLimits, createSignInLimits } from "./identity/rate-limits.ts";
import { createSignInService } from "./identity/sign-in.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { mailFolder } from "./lib/data-folder.ts";
import type { Log } from "./lib/log.ts";
import { type Sender, senderText } from "./lib/mail-server.ts";
import { VERSION } from "./lib/package.ts";
import { createMailer } from "./mail/mailer.ts";
import { mountMcp } from "./mcp/endpoint.ts";
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
    writeServerUrl(config.data, address.url);
    noteCatalog(config.data, config.checklistCatalog);
  } catch (error) {
    await metricsServer?.close();
    await outgoing.close();
    await store.close();
    throw error;
  }
  const workers = await startBackground(config, log, overrides, parts, optOuts, health);
  outbox.wake = () => workers.wake();

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
      removeServerUrl(config.data, address.url);
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

type OptOuts = ReturnType<typeof createOptOuts>;

/** What `/health` reports besides the database. */
interface Health {
  stopping: boolean;
  mailboxReads: boolean;
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
  mountHealth(app, store, () => health);
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
