import assert from "node:assert/strict";
import { test } from "node:test";
import { subscribe } from "../support/events.ts";
import { rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer } from "../support/server.ts";

const INVALID_PARAMS = -32602;

/** Refused by their text alone: nothing is resolved or sent. */
const BAD_URLS = [
  "http://hooks.example/hook",
  "ftp://hooks.example/hook",
  "ws://hooks.example/hook",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "https://",
  "hooks.example/hook",
  "",
  "https://user@hooks.example/hook",
  "https://user:secret@hooks.example/hook",
  "https://:secret@hooks.example/hook",
  "https://hooks.example/hook#part",
  "https://hooks.example/hook#",
  "https://hooks.example/ho ok",
  "https://hooks.example\\@other.example/",
  "https://hooks.example./hook",
  "https://127.0.0.1/hook",
  "https://2130706433/hook",
  "https://0x7f.1/hook",
  "https://017700000001/hook",
  "https://127.1/hook",
  "https://0.0.0.0/hook",
  "https://10.0.0.7/hook",
  "https://172.16.0.1/hook",
  "https://192.168.0.1/hook",
  "https://100.64.0.1/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://224.0.0.1/hook",
  "https://255.255.255.255/hook",
  "https://[::1]/hook",
  "https://[::]/hook",
  "https://[fe80::1]/hook",
  "https://[fc00::1]/hook",
  "https://[ff02::1]/hook",
  "https://[::ffff:127.0.0.1]/hook",
  "https://[::ffff:8.8.8.8]/hook",
  "https://[64:ff9b::7f00:1]/hook",
  `https://hooks.example/${"x".repeat(2_000)}`,
  7,
  null,
];

for (const allowPrivate of ["0", "1"]) {
  test(`a bad url is -32602, and nothing is resolved or sent, ROSTRUM_ALLOW_PRIVATE_CALLBACKS=${allowPrivate}`, async (t) => {
    const looked: string[] = [];
    const lookup = async (name: string) => {
      looked.push(name);
      return [];
    };
    const server = await startServer(t, { lookup, env: { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: allowPrivate } });
    const receiver = await Receiver.start(t);
    const passesLocally = /^https:\/\/(127|2130706433|0x7f|0177|10\.|172\.|192\.|100\.|\[::1\]|\[fc)/;
    const bad = BAD_URLS.filter((url) => allowPrivate === "0" || !passesLocally.test(`${url}`));
    for (const url of allowPrivate === "0" ? [...bad, receiver.url] : [...bad, "http://10.0.0.7/hook"]) {
      const { error } = await subscribe(server, receiver, { delivery: { url } });
      assert.equal(error?.code, INVALID_PARAMS, `${url}`);
      assert.match(error.message, /^delivery\.url /);
    }
    assert.ok(bad.length > 20);
    assert.deepEqual([looked, receiver.challenges], [[], []]);
    assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
  });
}

test("a name that resolves to a forbidden address gets the same answer as one that resolves to nothing", async (t) => {
  const resolved: Record<string, string[]> = {
    "nowhere.example": [],
    "private.example": ["10.11.12.13"],
    "loopback.example": ["127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
    "mixed.example": ["93.184.215.14", "10.11.12.13"],
    "mapped.example": ["::ffff:127.0.0.1"],
  };
  const server = await startServer(t, {
    lookup: async (name) => {
      const addresses = resolved[name] ?? [];
      if (addresses.length === 0) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: "ENOTFOUND" });
      return addresses.map((address) => ({ address }));
    },
  });
  const { port, secret } = await Receiver.start(t);
  const said = new Set<string>();
  for (const name of Object.keys(resolved)) {
    const delivery = { url: `https://${name}:${port}/hook` };
    const { error } = await subscribe(server, { secret, url: "" } as Receiver, { delivery });
    assert.deepEqual([error.code, error.data], [-32015, { reason: "connection_refused" }], name);
    said.add(JSON.stringify(error));
  }
  assert.equal(said.size, 1, "the same words for all of them");
  assert.doesNotMatch([...said].join(), /\d+\.\d+\.\d+|ENOTFOUND|private/);
});
