import { timingSafeEqual } from "node:crypto";
import type { Express, Response } from "express";
import { UNAVAILABLE_SECONDS } from "../core/problem.ts";
import { DiskFault } from "../lib/disk-fault.ts";
import type { Metrics } from "../lib/metrics.ts";
import { createWebApp, guardHost, listen, mountPage, stampRequests } from "./server.ts";
import { urlOf } from "./server-url-file.ts";

/** Says why the server is not ready, in a line without secrets. Undefined where it is ready. */
export type ReadyCheck = () => Promise<string | undefined> | string | undefined;

/** The store answers, so its migrations are done, and it can be written. */
export function storeCheck(store: { ping(): Promise<unknown> }): ReadyCheck {
  return async () => {
    try {
      await store.ping();
      return undefined;
    } catch (error) {
      return error instanceof DiskFault ? error.reason : "the database is not responding";
    }
  };
}

/** What `/readyz` answers. */
export interface Readiness {
  status: 200 | 503;
  text: string;
}

export type ReadReadiness = () => Promise<Readiness>;

/**
 * The server is ready where no check has a reason against it. A note is shown beside: something is wrong, and all else
 * works.
 */
export function readinessBy(checks: readonly ReadyCheck[], note: () => string | undefined): ReadReadiness {
  return async () => {
    for (const check of checks) {
      const reason = await check();
      if (reason !== undefined) return { status: 503, text: reason };
    }
    const noted = note();
    return { status: 200, text: noted === undefined ? "ready" : `ready\n${noted}` };
  };
}

export const METRICS_PATH = "/metrics";

/** What watches the server asks for these: they are served however busy it is. */
export const HEALTH_PATHS = ["/healthz", "/readyz"] as const;

/** In an answer of `/healthz`: the address that the server takes the caller to have. `doctor` checks proxies by it. */
export const CLIENT_ADDRESS_HEADER = "x-client-address";

/** `/healthz`: the process is alive. `/readyz`: it may be sent requests. */
export function mountHealth(app: Express, readiness: ReadReadiness): void {
  const [alive, ready] = HEALTH_PATHS;
  mountPage(app, alive, (request, response) => {
    if (request.ip !== undefined) response.setHeader(CLIENT_ADDRESS_HEADER, request.ip);
    text(response, 200, "ok\n");
  });
  mountPage(app, ready, async (_request, response) => {
    const { status, text: body } = await readiness();
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
  const headers = { "content-type": type, "cache-control": "no-store" };
  if (status === 503) response.setHeader("retry-after", UNAVAILABLE_SECONDS);
  response.writeHead(status, headers).end(body);
}

function sameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
