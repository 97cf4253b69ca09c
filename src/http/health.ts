import { timingSafeEqual } from "node:crypto";
import type { Express, Response } from "express";
import type { Metrics } from "../lib/metrics.ts";
import { createWebApp, guardHost, listen, mountPage, stampRequests } from "./server.ts";
import { urlOf } from "./server-url-file.ts";

/** What `/readyz` answers. */
export const READINESS = {
  starting: [503, "starting"],
  ready: [200, "ready"],
  /** Replies and bounces wait, and all else works. */
  mailbox_unread: [200, "ready\nthe mailbox cannot be read"],
  store_silent: [503, "the store does not answer"],
  stopping: [503, "stopping"],
} as const satisfies Record<string, readonly [status: number, text: string]>;
export type Readiness = keyof typeof READINESS;

interface Health {
  stopping: boolean;
  mailboxReads: boolean;
}

/** Whether the server may be sent requests: the store answers, so its migrations are done, and it is not stopping. */
export async function readinessOf(store: { ping(): Promise<unknown> }, health: Readonly<Health>): Promise<Readiness> {
  if (health.stopping) return "stopping";
  try {
    await store.ping();
    return health.mailboxReads ? "ready" : "mailbox_unread";
  } catch {
    return "store_silent";
  }
}

export const METRICS_PATH = "/metrics";

/** What watches the server asks for these: they are served however busy it is. */
export const HEALTH_PATHS = ["/healthz", "/readyz"] as const;

/** `/healthz`: the process is alive. `/readyz`: it may be sent requests. */
export function mountHealth(app: Express, readiness: () => Promise<Readiness>): void {
  const [alive, ready] = HEALTH_PATHS;
  mountPage(app, alive, (_request, response) => text(response, 200, "ok\n"));
  mountPage(app, ready, async (_request, response) => {
    const [status, body] = READINESS[await readiness()];
    text(response, status, `${body}\n`);
  });
}

/** `/metrics`, for bearers of the token. Without a token it is open to all, so the port must be loopback's own. */
export function mountMetrics(app: Express, metrics: Metrics, token: string | undefined): void {
  mountPage(app, METRICS_PATH, async (request, response) => {
    if (token !== undefined && !sameText(request.headers.authorization ?? "", `Bearer ${token}`)) {
      response.setHeader("www-authenticate", "Bearer");
      return text(response, 401, "send the metrics token as a bearer token\n");
    }
    text(response, 200, await metrics.text(), metrics.contentType);
  });
}

const LOOPBACK = "127.0.0.1";

/** Serves /metrics on its own loopback port; undefined if no port is set. */
export async function serveMetrics(
  port: number | undefined,
  metrics: Metrics,
): Promise<{ url: string; close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  const { app, server, stop } = createWebApp();
  app.use(guardHost(LOOPBACK, undefined));
  stampRequests(app);
  mountMetrics(app, metrics, undefined);
  const bound = await listen(server, port, LOOPBACK);
  return { url: `${urlOf(LOOPBACK, bound)}${METRICS_PATH}`, close: stop };
}

function text(response: Response, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}

function sameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
