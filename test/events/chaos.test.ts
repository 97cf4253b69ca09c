import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { addEndpoints, addEvents, groundOf } from "../support/endpoints.ts";
import { startLocal } from "../support/events.ts";
import { rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { FakeClock } from "../support/server.ts";
import { until } from "../support/until.ts";

const EVENTS = 3;
const MIB = 1024 * 1024;

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** An endpoint on its own port that behaves as it likes. */
async function endpoint(t: TestContext, behave: Behaviour) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["webhook-id"] as string);
    request.resume();
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    behave(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, seen };
}

/** A byte now and then, as long as the client reads. */
function trickle(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, 200);
  response.on("close", () => clearInterval(timer));
}

/** Answers with this many bytes, as fast as they are read; reports how many were read. */
function flood(response: ServerResponse, status: number, bytes: number): { taken: number } {
  const flooded = { taken: 0 };
  const chunk = Buffer.alloc(65_536);
  const source = new Readable({
    read() {
      if (flooded.taken >= bytes) return void this.push(null);
      flooded.taken += chunk.length;
      this.push(chunk);
    },
  });
  response.writeHead(status, { "content-length": bytes });
  // Aborted long before its end.
  pipeline(source, response, () => undefined);
  return flooded;
}

test("misbehaving endpoints delay no others, and every event is accounted for", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const elsewhere = await Receiver.start(t);
  const failedOnce = new Set<string>();
  const floods: { taken: number }[] = [];
  const answer =
    (status: number, headers = {}): Behaviour =>
    (_, response) =>
      void response.writeHead(status, headers).end();

  const behaviours: Record<string, { behave: Behaviour; status: string; error: string | null; outcomes: string }> = {
    well: { behave: answer(204), status: "delivered", error: null, outcomes: "2xx" },
    hangs: { behave: () => undefined, status: "pending", error: "timeout", outcomes: "timeout" },
    "trickles its headers": {
      behave: (request, response) => {
        request.socket.write("HTTP/1.1 204 No Content\r\nx-slow: ");
        trickle(response, () => request.socket.write("a"));
      },
      status: "pending",
      error: "timeout",
      outcomes: "timeout",
    },
    "trickles its body": {
      behave: (_, response) => {
        response.writeHead(200).flushHeaders();
        trickle(response, () => response.write("a"));
      },
      status: "pending",
      error: "timeout",
      outcomes: "timeout",
    },
    "resets the connection": {
      behave: (request) => void request.socket.resetAndDestroy(),
      status: "pending",
      error: "connection_refused",
      outcomes: "connection_refused",
    },
    "breaks off its answer": {
      behave: (request) => void request.socket.end("HTTP/1.1 204 No Co"),
      status: "pending",
      error: "connection_refused",
      outcomes: "connection_refused",
    },
    "speaks no HTTP": {
      behave: (request) => void request.socket.end("220 smtp.example ESMTP\r\n"),
      status: "pending",
      error: "connection_refused",
      outcomes: "connection_refused",
    },
    "fails once": {
      behave: (request, response) => {
        const id = request.headers["webhook-id"] as string;
        response.writeHead(failedOnce.has(id) ? 204 : 500).end();
        failedOnce.add(id);
      },
      status: "delivered",
      error: null,
      outcomes: "5xx,2xx",
    },
    "is gone": { behave: answer(410), status: "given_up", error: "http_4xx", outcomes: "4xx" },
    "finds it too large": { behave: answer(413), status: "given_up", error: "http_4xx", outcomes: "4xx" },
    "leads to loopback": {
      behave: answer(301, { location: elsewhere.url }),
      status: "pending",
      error: "http_4xx",
      outcomes: "3xx",
    },
    "answers with 64 MiB": {
      behave: (_, response) => void floods.push(flood(response, 200, 64 * MIB)),
      status: "delivered",
      error: null,
      outcomes: "2xx",
    },
    "answers 500 with 64 MiB": {
      behave: (_, response) => void floods.push(flood(response, 500, 64 * MIB)),
      status: "pending",
      error: "http_5xx",
      outcomes: "5xx",
    },
  };

  const names = Object.keys(behaviours);
  const endpoints = await Promise.all(Object.values(behaviours).map(({ behave }) => endpoint(t, behave)));
  const ground = await groundOf(server, () => clock.now());
  const added = await addEndpoints(
    ground,
    endpoints.map(({ url }) => url),
  );
  const nameOf = (url: string) => names[endpoints.findIndex((one) => one.url === url)] as string;
  const begun = performance.now();
  const ids = await addEvents(ground, added, EVENTS);
  const well = endpoints[names.indexOf("well")];
  await until(() => well?.seen.length === EVENTS);
  assert.ok(performance.now() - begun < 5_000, "nobody waits for those that hang");

  const attempts = () => rowsOf(server, "SELECT count(*) AS n FROM delivery_attempts")[0].n as number;
  await until(() => attempts() === names.length * EVENTS, 30_000);
  const first = rowsOf(server, "SELECT url, status, attempts, last_error, lease FROM deliveries ORDER BY seq");
  for (const { url, status, attempts: made, last_error, lease } of first) {
    const name = nameOf(url);
    const { error, ...expected } = behaviours[name] as (typeof behaviours)[string];
    const [stands, failed] = name === "fails once" ? ["pending", "http_5xx"] : [expected.status, error];
    assert.deepEqual([status, made, last_error, lease], [stands, 1, failed, null], name);
  }
  // All failed deliveries are due again; the server stops while some are in progress.
  clock.advance(6_000);
  await until(() => endpoints[names.indexOf("fails once")]?.seen.length === EVENTS * 2);
  await server.running.close();

  const rows = rowsOf(
    server,
    `SELECT d.event_id AS id, d.url, d.status, d.attempts, d.lease, (
       SELECT group_concat(outcome) FROM (SELECT outcome FROM delivery_attempts WHERE delivery_seq = d.seq ORDER BY id) AS o
     ) AS outcomes FROM deliveries d`,
  );
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), ids.toSorted(), "none is lost and none made up");
  for (const { url, status, attempts: made, lease, outcomes } of rows) {
    const name = nameOf(url);
    const expected = behaviours[name] as (typeof behaviours)[string];
    assert.equal(status, expected.status, name);
    assert.equal(outcomes.split(",").length, made, name);
    assert.ok(outcomes.startsWith(expected.outcomes), `${name}: ${outcomes}`);
    assert.equal(lease, null, name);
  }
  assert.deepEqual([elsewhere.deliveries, elsewhere.challenges], [[], []], "a redirect is not followed");
  assert.ok(floods.length >= 2 * EVENTS);
  for (const { taken } of floods) {
    assert.ok(taken < 8 * MIB, `an answer is read to 64 KiB, whatever it holds: ${taken} bytes were taken`);
  }
});
