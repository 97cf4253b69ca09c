import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { guardedConnector } from "../../src/lib/http-client/connections.ts";
import { RefusedAddressError } from "../../src/lib/http-client/errors.ts";
import type { Lookup } from "../../src/lib/http-client/resolve.ts";
import { until } from "../support/until.ts";
import { certificateFor } from "./certificate.ts";
import { deadPort, receiveHttp, receiveHttps, receiveTcp } from "./receiver.ts";
import { BODY, failureOf, openClient } from "./support.ts";

const NAME = "hooks.example";
const certificate = certificateFor([NAME, "127.0.0.1"]);
const REFUSED = { reason: "connection_refused", beforeSent: true, refusedAddress: true } as const;

/** Returns the listed answers, one per query, and the last one from then on. */
function lookupOf(...answers: string[][]): Lookup & { names: string[] } {
  const names: string[] = [];
  const lookup = async (name: string) => {
    names.push(name);
    const addresses = answers[Math.min(names.length, answers.length) - 1] ?? [];
    return addresses.map((address) => ({ address }));
  };
  return Object.assign(lookup, { names });
}

function receiveNamed(t: TestContext, host?: string) {
  const seen: { host: string | undefined; sni: unknown }[] = [];
  const handled = receiveHttps(
    t,
    certificate,
    (request, response) => {
      seen.push({
        host: request.headers.host,
        sni: (request.socket as TLSSocket & { servername: unknown }).servername,
      });
      response.end();
    },
    host,
  );
  return handled.then((receiver) => ({ ...receiver, seen, named: new URL(`https://${NAME}:${receiver.port}/`) }));
}

test("the connection goes to the checked address, with Host, SNI and certificate of the name", async (t) => {
  const { named, seen, connections, port } = await receiveNamed(t, "127.0.0.2");
  const lookup = lookupOf(["127.0.0.2"]);
  const client = openClient(t, { lookup, ca: certificate.cert });
  assert.equal((await client.post(named, BODY)).status, 200);
  assert.deepEqual(lookup.names, [NAME]);
  assert.equal(connections[0]?.localAddress, "127.0.0.2");
  assert.deepEqual(seen, [{ host: `${NAME}:${port}`, sni: NAME }]);
});

test("a caller's Host header changes neither Host nor SNI", async (t) => {
  const { named, seen, port } = await receiveNamed(t);
  const client = openClient(t, { lookup: lookupOf(["127.0.0.1"]), ca: certificate.cert });
  await client.post(named, { ...BODY, headers: { host: "bank.example" } });
  assert.deepEqual(seen, [{ host: `${NAME}:${port}`, sni: NAME }]);
});

test("if one address refuses the connection, the next one is tried", async (t) => {
  const { named, connections } = await receiveNamed(t);
  const client = openClient(t, { lookup: lookupOf(["127.0.0.3", "127.0.0.1"]), ca: certificate.cert });
  assert.equal((await client.post(named, BODY)).status, 200);
  assert.equal(connections.length, 1);
});

test("a name is refused if any of its addresses is not public, and the failure names none of them", async (t) => {
  const refused = [
    ["10.0.0.8"],
    ["127.0.0.1"],
    ["93.184.215.14", "10.0.0.8"],
    ["::1", "2606:4700::1111"],
    ["::ffff:93.184.215.14"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["2606:4700::1111%lo"],
    ["2130706433"],
  ];
  const refusals = refused.map(async (addresses) => {
    const client = openClient(t, { allowPrivate: false, lookup: lookupOf(addresses) });
    const error = await failureOf(client.post(new URL(`https://${NAME}/`), BODY), REFUSED);
    assert.doesNotMatch(`${error.message}${error.stack}${inspect(error)}`, /10\.0|93\.184|2606|127\.0|ffff/);
  });
  await Promise.all(refusals);
});

test("a refused address is retried as often as a refused connection, so that timing reveals neither", async (t) => {
  for (const [address, refusedAddress] of [
    ["127.0.0.1", false],
    ["169.254.169.254", true],
  ] as const) {
    const lookup = lookupOf([address]);
    const call = openClient(t, { lookup }).post(new URL(`https://${NAME}:${await deadPort()}/`), BODY);
    await failureOf(call, { reason: "connection_refused", beforeSent: true, refusedAddress });
    assert.equal(lookup.names.length, 3);
  }
});

test("localhost is refused by the address that the system resolves", async (t) => {
  const { port, connections } = await receiveTcp(t, () => undefined);
  const client = openClient(t, { allowPrivate: false });
  await failureOf(client.post(new URL(`https://localhost:${port}/`), BODY), REFUSED);
  assert.equal(connections.length, 0);
});

test("a literal address, which is not resolved, is checked like any other", async (t) => {
  const { port, connections } = await receiveNamed(t);
  const client = openClient(t, { allowPrivate: false, lookup: () => assert.fail("looked up") });
  const refusals = ["127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"].map((host) =>
    failureOf(client.post(new URL(`https://${host}:${port}/`), BODY), REFUSED),
  );
  await Promise.all(refusals);
  assert.equal(connections.length, 0);
});

for (const text of [
  "http://hooks.example/",
  "http://127.0.0.1/",
  "https://me:secret@hooks.example/",
  "https://hooks.example/#x",
]) {
  test(`the client itself refuses ${text}`, async (t) => {
    const client = openClient(t, { allowPrivate: false, lookup: () => assert.fail("looked up") });
    await failureOf(client.get(new URL(text), { read: 0 }), REFUSED);
  });
}

test("a name that moves to another address is checked again on the next connection, and refused", async (t) => {
  const { named, connections } = await receiveNamed(t);
  let addresses = ["127.0.0.1"];
  let asked = 0;
  const lookup = async () => {
    asked++;
    return addresses.map((address) => ({ address }));
  };
  const client = openClient(t, { lookup, ca: certificate.cert });
  assert.equal((await client.post(named, BODY)).status, 200);
  addresses = ["127.0.0.1", "169.254.169.254"];
  assert.equal((await client.post(named, BODY)).status, 200);
  assert.equal(asked, 1, "a connection that is kept was checked when it was made");
  connections[0]?.destroy();
  await until(async () => (await client.post(named, BODY).catch(({ refusedAddress }) => refusedAddress)) === true);
  assert.equal(connections.length, 1);
  addresses = ["127.0.0.1"];
  assert.equal((await client.post(named, BODY)).status, 200);
});

test("a resolver that answers public, then private, is refused the second time", async () => {
  const lookup = lookupOf(["93.184.215.14"], ["127.0.0.1"]);
  const open = guardedConnector({ allowPrivate: false, lookup, timeoutMs: 1_000 });
  // Loopback can't reach a public address: the first one fails as well, but was allowed.
  const from = { hostname: NAME, protocol: "http:", port: "80", localAddress: "127.0.0.1" };
  const refused = () =>
    new Promise((resolve) => open(from, (...[error]) => resolve(error instanceof RefusedAddressError)));
  assert.deepEqual([await refused(), await refused()], [false, true]);
});

test("a name without addresses or one that can't be resolved is a refused connection, tried three times", async (t) => {
  const empty = lookupOf([]);
  const failure = { reason: "connection_refused", beforeSent: true } as const;
  await failureOf(openClient(t, { lookup: empty }).post(new URL(`https://${NAME}/`), BODY), failure);
  assert.equal(empty.names.length, 3);
  const lookup = () => Promise.reject(Object.assign(new Error("queryA"), { code: "ENOTFOUND" }));
  const error = await failureOf(openClient(t, { lookup }).post(new URL(`https://${NAME}/`), BODY), failure);
  assert.equal(error.code, "ENOTFOUND");
});

test("connections reset before anything was sent are retried, and the third attempt arrives", async (t) => {
  const receiver = await receiveNamed(t);
  let came = 0;
  const gate = await receiveTcp(t, (socket) => {
    came++;
    if (came < 3) return socket.once("data", () => socket.resetAndDestroy());
    const through = connect(receiver.port, "127.0.0.1");
    socket.pipe(through).pipe(socket);
    return through.on("error", () => socket.destroy());
  });
  const client = openClient(t, { lookup: lookupOf(["127.0.0.1"]), ca: certificate.cert });
  assert.equal((await client.post(new URL(`https://${NAME}:${gate.port}/`), BODY)).status, 200);
  assert.equal(came, 3);
  assert.equal(receiver.seen.length, 1);
});

test("the connection limit holds even if every second connection fails before sending", async (t) => {
  const receiver = await receiveHttps(t, certificate, (_request, response) => setTimeout(() => response.end(), 50));
  let accepted = 0;
  const gate = await receiveTcp(t, (socket) => {
    accepted++;
    if (accepted % 2 === 0) return setTimeout(() => socket.resetAndDestroy(), 20);
    const upstream = connect(receiver.port, "127.0.0.1");
    socket.pipe(upstream).pipe(socket);
    return upstream.on("error", () => socket.destroy());
  });
  const client = openClient(t, { connections: 4, lookup: lookupOf(["127.0.0.1"]), ca: certificate.cert });
  const url = new URL(`https://${NAME}:${gate.port}/`);
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => client.post(url, BODY)));
  assert.ok(accepted > 4, "some connections failed");
  assert.equal(gate.most(), 4);
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 60);
});

test("a name without a DNS answer ends at the deadline, and a late answer sends nothing", async (t) => {
  const { named, connections, seen } = await receiveNamed(t);
  let answer: (found: { address: string }[]) => void = () => undefined;
  let asked = 0;
  const lookup: Lookup = () => {
    asked++;
    return asked === 1 ? new Promise((resolve) => (answer = resolve)) : Promise.resolve([{ address: "127.0.0.1" }]);
  };
  const client = openClient(t, { lookup, connections: 1, ca: certificate.cert });
  await failureOf(client.post(named, { ...BODY, deadlineMs: 100 }), { reason: "timeout", beforeSent: true });
  answer([{ address: "127.0.0.1" }]);
  await until(() => connections.length === 1 && connections[0]?.destroyed === true);
  assert.deepEqual(seen, []);
  assert.equal((await client.post(named, BODY)).status, 200);
});

test("an unanswered TLS handshake ends at the deadline, and nothing is sent", async (t) => {
  const { url } = await receiveTcp(t, () => undefined, "https");
  await failureOf(openClient(t, { deadlineMs: 150 }).post(url, BODY), { reason: "timeout", beforeSent: true });
});

test("opening a connection takes no longer than the client's deadline, even if a call has a longer one", async (t) => {
  const { url } = await receiveTcp(t, () => undefined, "https");
  const call = openClient(t, { deadlineMs: 100 }).post(url, { ...BODY, deadlineMs: 10_000 });
  await failureOf(call, { reason: "timeout", beforeSent: true });
});

const TLS_ERROR = { reason: "tls_error", beforeSent: true } as const;

for (const [what, offered, code] of [
  ["nobody vouches for", undefined, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["has expired", certificateFor([NAME], { expires: Date.now() - 1_000 }), "CERT_HAS_EXPIRED"],
  ["is another's", certificateFor(["bank.example"]), "ERR_TLS_CERT_ALTNAME_INVALID"],
] as const) {
  test(`a certificate that ${what} is a TLS error, and is not retried`, async (t) => {
    let requests = 0;
    const receiver = await receiveHttps(t, offered ?? certificate, () => requests++);
    const client = openClient(t, { lookup: lookupOf(["127.0.0.1"]), ...(offered && { ca: offered.cert }) });
    const error = await failureOf(client.post(new URL(`https://${NAME}:${receiver.port}/`), BODY), TLS_ERROR);
    assert.equal(error.code, code);
    assert.deepEqual([requests, receiver.connections.length], [0, 1]);
  });
}

test("no environment variable turns off the certificate check", async (t) => {
  const { named } = await receiveNamed(t);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  await failureOf(openClient(t, { lookup: lookupOf(["127.0.0.1"]) }).post(named, BODY), TLS_ERROR);
});

test("a server without TLS on the port is a TLS error", async (t) => {
  const { port } = await receiveHttp(t, (_request, response) => response.end());
  const client = openClient(t, { lookup: lookupOf(["127.0.0.1"]) });
  await failureOf(client.post(new URL(`https://${NAME}:${port}/`), BODY), TLS_ERROR);
});

test("a literal address is checked against the certificate's addresses, and no SNI is sent", async (t) => {
  const { url, seen } = await receiveNamed(t);
  assert.equal((await openClient(t, { ca: certificate.cert }).post(url, BODY)).status, 200);
  assert.deepEqual(seen, [{ host: url.host, sni: false }]);
  const named = certificateFor([NAME]);
  const other = await receiveHttps(t, named, () => undefined);
  await failureOf(openClient(t, { ca: named.cert }).post(other.url, BODY), TLS_ERROR);
});
