/**
 * Answers for the health of a server, in a thread of its own. Plain JavaScript, since Node runs it as it is from a checkout,
 * the compiled tests and the package alike. `health-listener.ts` starts it.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** @type {import("./health-listener.ts").HealthThread} */
const { memory, host, port, notReadyMs, stuckMs, retryAfter, validId } = workerData;
const lastBeat = new BigInt64Array(memory);
let { readiness } = workerData;
parentPort.on("message", (message) => {
  readiness = message;
});

/** @returns {{ status: number, text: string }} */
function answer(url) {
  const [path] = url.split("?");
  const silentMs = Number((process.hrtime.bigint() - Atomics.load(lastBeat, 0)) / 1_000_000n);
  const busy = `busy for ${(silentMs / 1_000).toFixed(1)} s`;
  if (path === "/healthz") {
    if (silentMs > stuckMs) return { status: 503, text: busy };
    return { status: 200, text: silentMs > notReadyMs ? `ok\n${busy}` : "ok" };
  }
  if (path === "/readyz") return silentMs > notReadyMs ? { status: 503, text: busy } : readiness;
  return { status: 404, text: "this port serves /healthz and /readyz" };
}

const server = createServer((request, response) => {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const { status, text } = isRead ? answer(request.url) : { status: 405, text: "use GET or HEAD" };
  response
    .writeHead(status, {
      ...(isRead ? {} : { allow: "GET, HEAD" }),
      ...(status === 503 ? { "retry-after": retryAfter } : {}),
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-request-id": validId.test(request.headers["x-request-id"] ?? "")
        ? request.headers["x-request-id"]
        : randomUUID(),
      connection: "close",
    })
    .end(`${text}\n`);
});
server.maxConnections = 100;
server.headersTimeout = 5_000;
server.requestTimeout = 5_000;
server.on("error", (error) => parentPort.postMessage({ error: { ...error, message: error.message } }));
server.listen({ host, port }, () => parentPort.postMessage({ port: server.address().port }));
