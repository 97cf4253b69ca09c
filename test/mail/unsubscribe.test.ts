import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import {
  type OptOut,
  readUnsubscribeToken,
  tokenInSubject,
  UNSUBSCRIBE_PATH,
  unsubscribeSubject,
  unsubscribeToken,
  unsubscribeUrl,
} from "../../src/domain/outreach/unsubscribe-link.ts";
import { createWebApp, guardHost, listen } from "../../src/http/server.ts";
import { mountUnsubscribe } from "../../src/http/unsubscribe.ts";
import { createVault } from "../../src/lib/vault.ts";
import { keptLog } from "../support/log.ts";

const vault = createVault(randomBytes(32));
const OPT_OUT: OptOut = {
  workspaceId: randomUUID(),
  contactId: randomUUID(),
  sendId: randomUUID(),
  address: "Ada+x@lovelace.example",
};

/** The page on its own server, behind the guard that every request passes. */
async function serve(t: TestContext, unsubscribe?: (optOut: OptOut) => Promise<void>) {
  const done: OptOut[] = [];
  const { log, text } = keptLog();
  const isOpen = ({ url }: { url: string }) => url.startsWith(UNSUBSCRIBE_PATH);
  const { app, server, stop } = createWebApp({ early: [guardHost("127.0.0.1", undefined, isOpen)] });
  mountUnsubscribe(app, {
    path: UNSUBSCRIBE_PATH,
    read: (token) => readUnsubscribeToken(vault, token),
    unsubscribe: unsubscribe ?? (async (optOut) => void done.push(optOut)),
    log,
  });
  const port = await listen(server, 0, "127.0.0.1");
  t.after(stop);
  const url = unsubscribeUrl(`http://127.0.0.1:${port}`, unsubscribeToken(vault, OPT_OUT));
  return { url, port, done, logged: text };
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

test("a token identifies its send and its address, is never the same twice, and reveals nothing", () => {
  const tokens = [unsubscribeToken(vault, OPT_OUT), unsubscribeToken(vault, OPT_OUT)];
  assert.notEqual(tokens[0], tokens[1]);
  for (const token of tokens) {
    assert.deepEqual(readUnsubscribeToken(vault, token), OPT_OUT);
    assert.match(token, /^[\w.-]+$/, "it stands in a path as it is");
    const shown = Buffer.from(token.split(".")[2] ?? "", "base64url").toString("latin1");
    for (const hidden of Object.values(OPT_OUT)) assert.ok(!token.includes(hidden) && !shown.includes(hidden));
  }
});

test("altered, truncated, foreign and very long texts are not tokens", () => {
  const token = unsubscribeToken(vault, OPT_OUT);
  const others = [
    "",
    "v1",
    "v1..",
    token.slice(0, -4),
    `${token.slice(0, 30)}${token[30] === "A" ? "B" : "A"}${token.slice(31)}`,
    unsubscribeToken(createVault(randomBytes(32)), OPT_OUT),
    vault.seal(JSON.stringify(Object.values(OPT_OUT)), "webhook:x"),
    `${token}${"A".repeat(3_000)}`,
  ];
  for (const other of others) assert.equal(readUnsubscribeToken(vault, other), undefined, other.slice(0, 60));
});

test("a token is read from the subject of a message, however it is padded", () => {
  const token = unsubscribeToken(vault, OPT_OUT);
  assert.equal(tokenInSubject(unsubscribeSubject(token)), token);
  assert.equal(tokenInSubject(`  Unsubscribe \t ${token}\n`), token);
  for (const subject of ["unsubscribe", `Re: unsubscribe ${token}`, `unsubscribe ${token} x`, ""]) {
    assert.equal(tokenInSubject(subject), undefined);
  }
});

test("viewing the page changes nothing, and only the recipient can view it", async (t) => {
  const { url, done } = await serve(t);
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(url, { method });
    const html = await response.text();
    assert.equal(response.status, 200);
    assert.equal(html.includes('<form method="post"><button>Unsubscribe</button></form>'), method === "GET");
    assert.ok(!/<script|https?:|lovelace/.test(html));
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.equal(response.headers.get("x-robots-tag"), "noindex, nofollow");
    assert.equal(response.headers.get("set-cookie"), null);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none';style-src 'sha256-[^']+';img-src data:;form-action 'self';/);
    assert.ok(!policy.includes("unsafe"));
  }
  assert.deepEqual(done, []);
});

test("one POST unsubscribes: from the button, even if the browser hides the origin, and from a mail provider", async (t) => {
  const { url, done } = await serve(t);
  const multipart = new FormData();
  multipart.set("List-Unsubscribe", "One-Click");
  const requests: RequestInit[] = [
    { headers: { ...FORM, origin: "null" }, body: "" },
    { headers: FORM, body: "List-Unsubscribe=One-Click" },
    { body: multipart },
    {},
  ];
  for (const request of requests) {
    const response = await fetch(url, { method: "POST", redirect: "manual", ...request });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<h1>You are unsubscribed<\/h1>/);
  }
  assert.deepEqual(done, Array(requests.length).fill(OPT_OUT));
});

test("an unknown link shows a page that says so, and does nothing", async (t) => {
  const { url, done } = await serve(t);
  for (const bad of [`${url}xxxx`, url.slice(0, -4), url.replace(/[^/]*$/, "x")]) {
    for (const method of ["GET", "POST"]) {
      const response = await fetch(bad, { method });
      assert.equal(response.status, 404);
      assert.match(await response.text(), /<h1>This link isn't valid<\/h1>/);
    }
  }
  assert.deepEqual(done, []);
});

test("other methods are refused, with the allowed ones", async (t) => {
  const { url } = await serve(t);
  for (const method of ["PUT", "DELETE", "OPTIONS"]) {
    const response = await fetch(url, { method });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET, HEAD, POST"]);
  }
});

test("a body that is too long is refused, with or without a length header, and nothing is done", async (t) => {
  const { url, port, done } = await serve(t);
  const large = await fetch(url, { method: "POST", headers: FORM, body: "x".repeat(9_000) });
  assert.equal(large.status, 413);
  const socket = connect(port, "127.0.0.1");
  const path = new URL(url).pathname;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ntransfer-encoding: chunked\r\n\r\n`);
  socket.write(`2400\r\n${"x".repeat(0x2400)}\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 413 /);
  socket.destroy();
  assert.deepEqual(done, []);
});

test("an opt-out that can't be saved says so, can be retried, and is logged without its token", async (t) => {
  let fails = true;
  const { url, logged } = await serve(t, async () => {
    if (fails) throw new Error("the disk is full");
  });
  const failed = await fetch(url, { method: "POST" });
  assert.equal(failed.status, 500);
  const html = await failed.text();
  assert.ok(html.includes("<button>Try again</button>") && !html.includes("disk"));
  assert.ok(logged().includes("the disk is full") && !logged().includes(new URL(url).pathname));
  fails = false;
  assert.equal((await fetch(url, { method: "POST" })).status, 200);
});
