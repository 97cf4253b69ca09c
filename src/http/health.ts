import { timingSafeEqual } from "node:crypto";
import type { Express, Response } from "express";
import type { Metrics } from "../lib/metrics.ts";
import { createWebApp, guardHost, listen, mountPage, stampRequests, stopServer } from "./server.ts";
import { urlOf } from "./server-url-file.ts";

interface Health {
  stopping: boolean;
  /** False if the mailbox cannot be read. Replies and bounces wait, all else works: the server stays ready and says so. */
  mailboxReads: boolean;
}

/** `/healthz`: the process is alive. `/readyz`: the store answers, so its migrations are done. */
export function mountHealth(app: Express, store: { ping(): Promise<unknown> }, health: () => Health): void {
  mountPage(app, "/healthz", (_request, response) => text(response, 200, "ok\n"));
  mountPage(app, "/readyz", async (_request, response) => {
    const { stopping, mailboxReads } = health();
    if (stopping) return text(response, 503, "stopping\n");
    try {
      await store.ping();
      text(response, 200, mailboxReads ? "ready\n" : "ready\nthe mailbox cannot be read\n");
    } catch {
      text(response, 503, "the store does not answer\n");
    }
  });
}

/** `/metrics`, for bearers of the token. Without a token it is open to all, so the port must be loopback's own. */
export function mountMetrics(app: Express, metrics: Metrics, token: string | undefined): void {
  mountPage(app, "/metrics", async (request, response) => {
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
  const { app, server } = createWebApp(undefined);
  app.use(guardHost(LOOPBACK, undefined));
  stampRequests(app);
  mountMetrics(app, metrics, undefined);
  const bound = await listen(server, port, LOOPBACK);
  return { url: `${urlOf(LOOPBACK, bound)}/metrics`, close: () => stopServer(server) };
}

function text(response: Response, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}

function sameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
