import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "undici";
import { exchange } from "../../src/lib/http-client/client.ts";
import { ConnectionPool } from "../../src/lib/http-client/connections.ts";
import { Deadline } from "../../src/lib/http-client/deadline.ts";
import { CallError } from "../../src/lib/http-client/errors.ts";
import { until } from "../support/until.ts";
import { receiveHttp } from "./receiver.ts";

const REQUEST = { method: "GET", headers: {}, body: null, read: 0 } as const;

test("the most recently used client is used next, and forgotten when its connection ends", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end());
  const { url } = receiver;
  const opened: Client[] = [];
  const pool = new ConnectionPool(2, (origin) => {
    const client = new Client(origin);
    opened.push(client);
    return client;
  });
  const deadline = new Deadline(10_000, undefined);
  const used: Client[] = [];
  const get = () =>
    pool.run(url.origin, deadline, (client) => {
      used.push(client);
      return exchange(client, { ...REQUEST, url }, deadline);
    });
  await Promise.all([get(), get()]);
  for (let n = 0; n < 3; n++) await get();
  assert.equal(opened.length, 2);
  assert.equal(new Set(used.slice(2)).size, 1);
  for (const socket of receiver.connections) socket.destroy();
  await until(() => opened.every((client) => !client.stats.connected));
  await get();
  assert.equal(opened.length, 3);
  deadline.dispose();
  await pool.close();
});

test("after a failure, waiting calls get a new client, not the failed one", async () => {
  const pool = new ConnectionPool(1, (origin) => new Client(origin));
  const deadline = new Deadline(10_000, undefined);
  const failed = pool.run("http://127.0.0.1", deadline, () => Promise.reject(new Error("failed")));
  const waited = pool.run("http://127.0.0.1", deadline, async (client) => client.destroyed);
  await assert.rejects(failed, /failed/);
  assert.equal(await waited, false);
  deadline.dispose();
});

test("a call aborted while it waited does not send", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end());
  const client = new Client(receiver.url.origin);
  t.after(() => client.close());
  const deadline = new Deadline(1, undefined);
  await new Promise((resolve) => deadline.listen(resolve));
  await assert.rejects(exchange(client, { ...REQUEST, url: receiver.url }, deadline), CallError);
  assert.equal(receiver.connections.length, 0);
  assert.equal(client.stats.size, 0);
});
