import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "undici";
import { CallError } from "../../src/lib/http-client/call-error.ts";
import { Connections } from "../../src/lib/http-client/connections.ts";
import { exchange } from "../../src/lib/http-client/exchange.ts";
import { Patience } from "../../src/lib/http-client/patience.ts";
import { until } from "../support/until.ts";
import { receiveHttp } from "./receiver.ts";

const REQUEST = { method: "GET", headers: {}, body: null, read: 0 } as const;

test("the client whose connection was used last is used next, and forgotten when that connection ends", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end());
  const { url } = receiver;
  const opened: Client[] = [];
  const connections = new Connections(2, (origin) => {
    const client = new Client(origin);
    opened.push(client);
    return client;
  });
  const patience = new Patience(10_000, undefined);
  const used: Client[] = [];
  const get = () =>
    connections.run(url.origin, patience, (client) => {
      used.push(client);
      return exchange(client, { ...REQUEST, url }, patience);
    });
  await Promise.all([get(), get()]);
  for (let n = 0; n < 3; n++) await get();
  assert.equal(opened.length, 2);
  assert.equal(new Set(used.slice(2)).size, 1);
  for (const socket of receiver.connections) socket.destroy();
  await until(() => opened.every((client) => !client.stats.connected));
  await get();
  assert.equal(opened.length, 3);
  patience.dispose();
  await connections.close();
});

test("after a failure, whoever waited gets a client of its own, not the one that failed", async () => {
  const connections = new Connections(1, (origin) => new Client(origin));
  const patience = new Patience(10_000, undefined);
  const failed = connections.run("http://127.0.0.1", patience, () => Promise.reject(new Error("failed")));
  const waited = connections.run("http://127.0.0.1", patience, async (client) => client.destroyed);
  await assert.rejects(failed, /failed/);
  assert.equal(await waited, false);
  patience.dispose();
});

test("a call that has been given up by the time its turn comes sends nothing", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end());
  const client = new Client(receiver.url.origin);
  t.after(() => client.close());
  const patience = new Patience(1, undefined);
  await new Promise((resolve) => patience.listen(resolve));
  await assert.rejects(exchange(client, { ...REQUEST, url: receiver.url }, patience), CallError);
  assert.equal(receiver.connections.length, 0);
  assert.equal(client.stats.size, 0);
});
