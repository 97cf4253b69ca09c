import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { addEndpoints, addEvents, groundOf } from "../support/endpoints.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { post } from "../support/mcp.ts";
import { attempted, deliveriesOf, newSecret, requestReconnect } from "../support/outbox.ts";
import { startServer } from "../support/server.ts";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
/** A name and its certificate: created for these tests, trusted by no one else. */
const NAME = "hooks.example";
const [cert, key] = [fixture(`${NAME}.crt`), fixture(`${NAME}.key`)];

/** A loopback endpoint with this name, which answers challenges, and closes each connection after its answer. */
async function listen(t: TestContext) {
  const seen = { connections: 0, bodies: [] as { type?: string }[] };
  const server = createServer({ cert, key }, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    seen.bodies.push(body);
    response.writeHead(200, { connection: "close" }).end(JSON.stringify({ challenge: body.challenge }));
  });
  server.on("connection", () => {
    seen.connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `https://${NAME}:${(server.address() as AddressInfo).port}/hook` };
}

/** Returns the set addresses, and counts the queries. */
function resolver(...addresses: string[]) {
  const state = { addresses, asked: 0 };
  const lookup = async (name: string) => {
    assert.equal(name, NAME);
    state.asked += 1;
    return state.addresses.map((address) => ({ address }));
  };
  return { state, lookup };
}

test("a name that passed the challenge and then moves to a private address is refused at its next connection", async (t) => {
  const { seen, url } = await listen(t);
  // Private callbacks allow loopback, which stands for public addresses here; link-local is never allowed.
  const { state, lookup } = resolver("127.0.0.1");
  const server = await startLocal(t, { lookup, ca: cert });
  const account = await newAccount(server);
  const subscribe = async () => {
    const params = { name: RECONNECT, delivery: { mode: "webhook", url, secret: newSecret() } };
    return (await post(server, "2026-07-28", "events/subscribe", params, { headers: { "mcp-name": undefined } })).body;
  };
  assert.equal((await subscribe()).result.resultType, "complete");
  await requestReconnect(server, account);
  await attempted(server, 1);
  assert.deepEqual([(await deliveriesOf(server))[0].status, state.asked, seen.connections], ["delivered", 2, 2]);

  for (const moved of [
    ["169.254.169.254"],
    ["127.0.0.1", "169.254.169.254"],
    ["fe80::1"],
    ["::ffff:169.254.169.254"],
  ]) {
    state.addresses = moved;
    const asked = state.asked;
    await requestReconnect(server, account);
    await attempted(server, (await deliveriesOf(server)).length);
    const [{ status, attempts, last_error }] = await deliveriesOf(server);
    assert.deepEqual(
      [status, last_error, attempts[0].outcome],
      ["pending", "connection_refused", "connection_refused"],
    );
    assert.ok(state.asked > asked, "the name is resolved anew");
  }
  assert.equal(seen.connections, 2, "not even where one of its addresses would pass");
  const { result } = await subscribe();
  assert.equal(result.deliveryStatus.lastError, "connection_refused");

  state.addresses = ["127.0.0.1"];
  await requestReconnect(server, account);
  await attempted(server, 6);
  assert.equal((await deliveriesOf(server))[0].status, "delivered", "back at its address it is sent to again");
});

test("without the setting for private addresses nothing is sent to loopback, whatever name points there", async (t) => {
  const { seen, url } = await listen(t);
  const { state, lookup } = resolver("127.0.0.1");
  const server = await startServer(t, { lookup, ca: cert });
  const ground = await groundOf(server);
  await addEvents(ground, await addEndpoints(ground, [url]));
  for (const [i, address] of ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"].entries()) {
    state.addresses = [address];
    if (i > 0) await addEvents(ground, await addEndpoints(ground, [`${url}?${i}`]));
    await attempted(server, i + 1);
    const [{ status, last_error }] = await deliveriesOf(server);
    assert.deepEqual([status, last_error], ["pending", "connection_refused"], address);
  }
  assert.equal(seen.connections, 0);
});
