import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { NameResolver, parseHosts } from "../../src/lib/http-client/resolve.ts";
import { until } from "../support/until.ts";
import { certificateFor } from "./certificate.ts";
import { answerNames } from "./name-server.ts";
import { receiveHttps } from "./receiver.ts";
import { BODY, failureOf, openClient } from "./support.ts";

const NO_HOSTS = "/nonexistent/hosts";

async function resolverOf(
  t: TestContext,
  zone: Parameters<typeof answerNames>[1],
  limitMs = 5_000,
  hostsFile = NO_HOSTS,
) {
  const { servers, asked } = await answerNames(t, zone);
  const resolver = new NameResolver({ servers, hostsFile, limitMs });
  const addressesOf = async (name: string) => (await resolver.lookup(name)).map(({ address }) => address);
  return { resolver, servers, asked, addressesOf };
}

async function hostsFile(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rostrum-hosts-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "hosts");
  await writeFile(path, text);
  return path;
}

test("a name has the addresses of both IP versions, of which either may be missing", async (t) => {
  const { addressesOf, asked } = await resolverOf(t, {
    "four.example": { a: ["192.0.2.1", "192.0.2.2"] },
    "six.example": { aaaa: ["2001:db8::1"] },
    "both.example": { a: ["192.0.2.3"], aaaa: ["2001:db8::2", "2001:db8::3"] },
  });
  // A name server can list them in any order.
  assert.deepEqual((await addressesOf("four.example")).sort(), ["192.0.2.1", "192.0.2.2"]);
  assert.deepEqual(await addressesOf("six.example"), ["2001:db8::1"]);
  const [first, ...rest] = await addressesOf("both.example");
  assert.deepEqual([first, ...rest.sort()], ["192.0.2.3", "2001:db8::2", "2001:db8::3"]);
  assert.deepEqual(asked.slice(0, 2).sort(), ["A four.example", "AAAA four.example"]);
});

test("nothing is cached: each lookup asks the name server again", async (t) => {
  const zone = { "moving.example": { a: ["192.0.2.1"] } };
  const { addressesOf } = await resolverOf(t, zone);
  assert.deepEqual(await addressesOf("moving.example"), ["192.0.2.1"]);
  zone["moving.example"].a = ["10.0.0.1"];
  assert.deepEqual(await addressesOf("moving.example"), ["10.0.0.1"]);
});

test("a name that does not exist, has no address, can't be resolved or is invalid fails with its code", async (t) => {
  const { resolver } = await resolverOf(t, { "empty.example": {}, "broken.example": "servfail" });
  await assert.rejects(resolver.lookup("nobody.example"), { code: "ENOTFOUND" });
  await assert.rejects(resolver.lookup("empty.example"), { code: "ENODATA" });
  await assert.rejects(resolver.lookup("broken.example"), { code: "ESERVFAIL" });
  await assert.rejects(resolver.lookup(`${"a".repeat(64)}.example`), { code: "EBADNAME" });
});

test("a name without a DNS answer fails at the time limit, and delays no other", async (t) => {
  const { resolver, addressesOf, asked } = await resolverOf(
    t,
    { "hang.example": "silence", "quick.example": { a: ["192.0.2.1"] } },
    400,
  );
  const began = performance.now();
  let ended = false;
  const hanging = assert.rejects(resolver.lookup("hang.example"), { code: "ETIMEOUT" }).finally(() => {
    ended = true;
  });
  await until(() => asked.includes("A hang.example"));
  assert.deepEqual(await addressesOf("quick.example"), ["192.0.2.1"]);
  assert.equal(ended, false);
  await hanging;
  const tookMs = performance.now() - began;
  assert.ok(tookMs >= 390 && tookMs < 3_000, `${tookMs} ms`);
});

test("at the time limit, an answer for one IP version is enough, unless it has no address", async (t) => {
  const { resolver, addressesOf } = await resolverOf(
    t,
    { "half.example": { a: ["192.0.2.1"], silent: ["AAAA"] }, "none.example": { silent: ["AAAA"] } },
    200,
  );
  assert.deepEqual(await addressesOf("half.example"), ["192.0.2.1"]);
  await assert.rejects(resolver.lookup("none.example"), { code: "ETIMEOUT" });
});

test("canceling aborts open lookups, but not later ones", async (t) => {
  const { resolver, addressesOf, asked } = await resolverOf(
    t,
    { "hang.example": "silence", "quick.example": { a: ["192.0.2.1"] } },
    60_000,
  );
  const hanging = assert.rejects(resolver.lookup("hang.example"));
  await until(() => asked.length > 0);
  const began = performance.now();
  resolver.cancel();
  await hanging;
  assert.ok(performance.now() - began < 900);
  assert.deepEqual(await addressesOf("quick.example"), ["192.0.2.1"]);
});

test("a hosts file is parsed line by line", () => {
  const text = [
    "# 192.0.2.9 commented.example",
    "192.0.2.1\tOne.example  uno # eins.example",
    "  2001:DB8::1 one.example\r",
    "192.0.2.1 one.example",
    "192.0.2.2 constructor",
    "fe80::1%lo0 zone.example",
    "127.1 short.example",
    "example 192.0.2.3",
    "192.0.2.4",
    "",
  ].join("\n");
  assert.deepEqual(Object.fromEntries(parseHosts(text)), {
    "one.example": ["192.0.2.1", "2001:db8::1"],
    uno: ["192.0.2.1"],
    constructor: ["192.0.2.2"],
    "zone.example": ["fe80::1%lo0"],
  });
});

test("names in the hosts file, and localhost, are not sent to a name server", async (t) => {
  const path = await hostsFile(t, "192.0.2.1 inside.example\n2001:db8::1 inside.example\n192.0.2.7 localhost\n");
  const { addressesOf, asked } = await resolverOf(t, { "inside.example": { a: ["192.0.2.99"] } }, 5_000, path);
  assert.deepEqual(await addressesOf("Inside.example"), ["192.0.2.1", "2001:db8::1"]);
  assert.deepEqual(await addressesOf("localhost"), ["127.0.0.1", "::1"]);
  assert.deepEqual(asked, []);
  await assert.rejects(addressesOf("outside.example"), { code: "ENOTFOUND" });
});

test("a changed hosts file is read again, and a deleted one is ignored", async (t) => {
  const path = await hostsFile(t, "192.0.2.1 inside.example\n");
  const { addressesOf } = await resolverOf(t, { "inside.example": { a: ["192.0.2.99"] } }, 5_000, path);
  assert.deepEqual(await addressesOf("inside.example"), ["192.0.2.1"]);
  await writeFile(path, "192.0.2.20 inside.example\n");
  assert.deepEqual(await addressesOf("inside.example"), ["192.0.2.20"]);
  await rm(path);
  assert.deepEqual(await addressesOf("inside.example"), ["192.0.2.99"]);
});

test("an address from the hosts file is checked like any other", async (t) => {
  const path = await hostsFile(t, "127.0.0.1 inside.example\n169.254.169.254 metadata.example\n");
  const resolver = { servers: ["127.0.0.1:9"], hostsFile: path };
  const refused = { reason: "connection_refused", beforeSent: true, refusedAddress: true } as const;
  const strict = openClient(t, { allowPrivate: false, resolver });
  await failureOf(strict.post(new URL("https://inside.example/"), BODY), refused);
  await failureOf(openClient(t, { resolver }).post(new URL("https://metadata.example/"), BODY), refused);
});

test("names without a DNS answer delay no other call, and time out", async (t) => {
  const certificate = certificateFor(["healthy.example"]);
  const { port } = await receiveHttps(t, certificate, (_request, response) => response.end());
  const { servers, asked } = await answerNames(t, {
    "hang-a.example": "silence",
    "hang-b.example": "silence",
    "healthy.example": { a: ["127.0.0.1"] },
  });
  const limitMs = 2_000;
  const client = openClient(t, { ca: certificate.cert, resolver: { servers, hostsFile: NO_HOSTS, limitMs } });
  const began = performance.now();
  // More of each than the thread pool has threads.
  const hanging = ["hang-a.example", "hang-b.example"].flatMap((name) =>
    Array.from({ length: 8 }, async () => {
      const error = await failureOf(client.post(new URL(`https://${name}/`), BODY), {
        reason: "timeout",
        beforeSent: true,
      });
      assert.equal(error.code, "ETIMEOUT");
    }),
  );
  await until(() => asked.filter((question) => question.startsWith("A hang-")).length >= hanging.length);
  assert.equal((await client.post(new URL(`https://healthy.example:${port}/`), BODY)).status, 200);
  const healthyMs = performance.now() - began;
  assert.ok(healthyMs < 1_000, `${healthyMs} ms`);
  await Promise.all(hanging);
  // At the time limit, and not retried after it.
  const hungMs = performance.now() - began;
  assert.ok(hungMs >= limitMs - 10 && hungMs < 2 * limitMs, `${hungMs} ms`);
});
