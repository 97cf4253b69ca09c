import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { programFile } from "../support/program.ts";
import { answerNames } from "./name-server.ts";
import { receiveHttp, receiveTcp } from "./receiver.ts";

/** The result of one POST in a separate process, and whether it exited by itself well before its connections closed. */
async function postElsewhere(
  t: TestContext,
  url: URL,
  deadlineMs: number,
  { env = {}, servers = [] }: { env?: Record<string, string>; servers?: string[] } = {},
) {
  const script = programFile("test/http-client/post-once.ts");
  const child = fork(script, [url.href, String(deadlineMs), ...servers], { env: { ...process.env, ...env } });
  t.after(() => child.kill());
  const ended = once(child, "exit");
  const [outcome] = await once(child, "message");
  const told = performance.now();
  const [code] = await ended;
  return { outcome, code, lingeredMs: performance.now() - told };
}

test("no environment variable sends a call through a proxy", async (t) => {
  let proxied = 0;
  const proxy = await receiveTcp(t, (socket) => {
    proxied++;
    socket.destroy();
  });
  const { url } = await receiveHttp(t, (_request, response) => response.end());
  const to = `http://127.0.0.1:${proxy.port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  const env = { ...Object.fromEntries(names.map((name) => [name, to])), NODE_USE_ENV_PROXY: "1", NO_PROXY: "" };
  const { outcome } = await postElsewhere(t, url, 10_000, { env });
  assert.deepEqual([outcome, proxied], [200, 0]);
});

test("a kept connection does not keep the process alive", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end());
  const { outcome, code, lingeredMs } = await postElsewhere(t, receiver.url, 10_000);
  assert.deepEqual([outcome, code], [200, 0]);
  assert.ok(lingeredMs < 5_000, `${lingeredMs} ms`);
});

test("a call keeps its process alive until the deadline; an aborted connection attempt does not", async (t) => {
  const { port } = await receiveTcp(t, () => undefined);
  const url = new URL(`https://hooks.example:${port}/`);
  const { outcome, code, lingeredMs } = await postElsewhere(t, url, 200);
  assert.deepEqual([outcome, code], ["timeout", 0]);
  assert.ok(lingeredMs < 5_000, `${lingeredMs} ms`);
});

test("a call whose name gets no DNS answer keeps the process alive no longer than its deadline", async (t) => {
  const { servers, asked } = await answerNames(t, { "hang.example": "silence" });
  const { outcome, code, lingeredMs } = await postElsewhere(t, new URL("https://hang.example/"), 300, { servers });
  assert.deepEqual([outcome, code], ["timeout", 0]);
  assert.ok(asked.includes("A hang.example"));
  // Well below the 5 s limit of one name.
  assert.ok(lingeredMs < 3_000, `${lingeredMs} ms`);
});
