import { resolve } from "node:path";
import { recordSender, startBackground } from "./composition/background.ts";
import { type Core, coreOf, type Overrides, openParts } from "./composition/core.ts";
import type { ProcessState } from "./composition/probe.ts";
import { mountSurfaces } from "./composition/surfaces.ts";
import type { Config } from "./config.ts";
import { isServed, listenForCommands } from "./http/command-socket.ts";
import { readinessBy, serveMetrics, storeCheck } from "./http/health.ts";
import { serveHealth } from "./http/health-listener.ts";
import { holdRequests, listen } from "./http/server.ts";
import { readServerUrl, removeServerUrl, urlOf, writeServerUrl } from "./http/server-url-file.ts";
import { shownUrl } from "./lib/database-url.ts";
import { diskFault } from "./lib/disk-fault.ts";
import type { Log } from "./lib/log.ts";
import type { MailSetup } from "./lib/mail-server.ts";
import { VERSION } from "./lib/package.ts";
import { createTracing } from "./lib/tracing.ts";
import { noteCatalog } from "./services/checklist/catalog-file.ts";
import { createOptOuts } from "./services/outreach/suppression.ts";

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
  const tracing = config.tracing === "on" ? createTracing() : undefined;
  const parts = await openParts(config, log, overrides, true);
  const { store, shared, authLog, asSystem, address, outbox, outgoing, probe } = parts;
  const state: ProcessState = {
    startedAt: Date.now(),
    stopping: false,
    mailboxReads: true,
    backingOff: false,
    jobs: () => [],
  };
  probe.serve(state);
  const optOuts = createOptOuts(shared.vault, asSystem, store);
  const readiness = readinessBy([() => (state.stopping ? "stopping" : undefined), storeCheck(store)], () =>
    state.mailboxReads ? undefined : "the mailbox cannot be read",
  );
  const { web, pages } = mountSurfaces(config, log, overrides, parts, optOuts, readiness, tracing);
  /** Of another server on the same folder, or left behind by one that was killed. */
  let urlBefore: string | undefined;
  let metricsServer: Awaited<ReturnType<typeof serveMetrics>>;
  let healthListener: Awaited<ReturnType<typeof serveHealth>>;
  try {
    metricsServer = await serveMetrics(config.metricsPort, parts.metrics);
    healthListener = await serveHealth(config.healthPort, config.host, readiness);
    const serve = holdRequests(web.server);
    address.port = await listen(web.server, config.port, config.host);
    address.url = config.publicUrl ?? urlOf(config.host, address.port);
    // Before any page shows the sender; but a server that can't have its port changes nothing.
    await recordSender(config, parts);
    await overrides.fill?.(store);
    serve();
    unlessDiskFails(config.data, log, () => {
      urlBefore = readServerUrl(config.data);
      writeServerUrl(config.data, address.url);
      noteCatalog(config.data, config.checklistCatalog);
    });
  } catch (error) {
    web.server.close().closeAllConnections();
    await Promise.all([metricsServer?.close(), healthListener?.close()]);
    await outgoing.close();
    await store.close();
    throw error;
  }
  const workers = await startBackground(config, log, overrides, parts, optOuts, state);
  outbox.wake = () => workers.wake();
  store.onWrittenElsewhere(outbox.wake);
  const status = async () => {
    const { status, text } = await readiness();
    const [first, ...more] = text.split("\n");
    const note = status === 200 ? more.join("; ") : first;
    return { url: address.url, ready: status === 200, note: note || null };
  };
  const commands = await listenForCommands(config.data, { copyLive: store.copyLive, status }, log);
  await healthListener?.publish();
  const database = config.databaseUrl === undefined ? {} : { database: shownUrl(config.databaseUrl) };
  const about = { version: VERSION, schema: store.schema, data: resolve(config.data), ...database };
  log.info({ ...about, url: address.url, on: whatIsOn(config, parts.mail.current()) }, "started");

  return {
    ...coreOf(parts),
    url: address.url,
    port: address.port,
    metricsUrl: metricsServer?.url,
    healthUrl: healthListener?.url,
    async close(drainMs = 0) {
      log.info(about, "stopping");
      state.stopping = true;
      await healthListener?.publish();
      await web.drain(drainMs);
      pages.close();
      await commands.close();
      const urlAfter = (await isServed(config.data)) ? urlBefore : undefined;
      unlessDiskFails(config.data, log, () => removeServerUrl(config.data, address.url, urlAfter));
      await Promise.all([web.stop(), metricsServer?.close()]);
      await Promise.all([workers.stop(), probe.stop()]);
      await outgoing.close();
      await authLog
        .close(store)
        .catch((error: unknown) => log.warn({ err: error }, "last uses of API keys were not recorded"));
      await store.close();
      await healthListener?.close();
      log.info(about, "stopped");
    },
  };
}

/** The parts that this server has on, for its log. */
function whatIsOn(config: Config, mail: MailSetup): string[] {
  const background = config.workers === "on";
  const parts = {
    workers: background,
    events: background,
    outbound: config.outboundGate === "open",
    socialnet_execution: config.socialnetExecution === "on",
    email: mail.smtp !== undefined,
    mailbox: background && mail.imap !== undefined,
    single_sign_on: config.oidc !== undefined,
    metrics: config.metricsPort !== undefined || config.metricsToken !== undefined,
  };
  return Object.entries(parts).flatMap(([name, isOn]) => (isOn ? name : []));
}

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
