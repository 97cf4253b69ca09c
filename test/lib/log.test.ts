import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { shownUrl } from "../../src/lib/database-url.ts";
import { createThrottle } from "../../src/lib/log.ts";
import { VERSION } from "../../src/lib/package.ts";
import { databaseUrlOf, isPostgres, takeAway } from "../support/engine-under-test.ts";
import { keptLog } from "../support/log.ts";
import { ROOT } from "../support/program.ts";
import { startServer } from "../support/server.ts";

type Line = Record<string, unknown> & { msg: string };

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

test("a repeated entry is written immediately, then once a minute with the number of skipped ones, per kind", () => {
  let now = 5;
  const written: [string, object][] = [];
  const throttle = createThrottle(() => now);
  const log = (kind: string) => throttle(kind, (left) => written.push([kind, left]));
  for (let i = 0; i < 100; i += 1) log("a");
  log("b");
  now += 59_999;
  log("a");
  now += 1;
  log("a");
  log("b");
  now += 60_000;
  log("a");
  assert.deepEqual(written, [
    ["a", {}],
    ["b", {}],
    ["a", { suppressed: 100 }],
    ["b", {}],
    ["a", {}],
  ]);
});

test("the log says when a server started and stopped, its version, its data folder and its features", async (t) => {
  const plain = keptLog();
  const server = await startServer(t, { log: plain.log });
  await server.running.close();
  const files = readdirSync(`${ROOT}src/store/sqlite/migrations`).filter((file) => file.endsWith(".sql"));
  const schema = files.sort().at(-1)?.replace(".sql", "");
  const database = isPostgres ? { database: shownUrl(databaseUrlOf(server.folder)) } : {};
  const about = { version: VERSION, schema, data: server.folder, ...database };
  const lines = linesOf(plain.text()).filter(({ msg }) => /^(start|stop)/.test(msg));
  assert.deepEqual(
    lines.map(({ level, time, pid, hostname, ...line }) => line),
    [
      { ...about, url: server.listening, on: ["workers", "events"], msg: "started" },
      { ...about, msg: "stopping" },
      { ...about, msg: "stopped" },
    ],
  );
  const full = keptLog();
  await startServer(t, {
    log: full.log,
    env: {
      ROSTRUM_WORKERS: "off",
      ROSTRUM_OUTBOUND_GATE: "open",
      ROSTRUM_SOCIALNET_EXECUTION: "on",
      ROSTRUM_PUBLIC_URL: "https://rostrum.example",
      ROSTRUM_METRICS_TOKEN: "sixteen characters or more",
      ROSTRUM_OIDC_ISSUER: "https://provider.example",
      ROSTRUM_OIDC_CLIENT_ID: "rostrum",
      ROSTRUM_OIDC_CLIENT_SECRET: "a-client-secret",
      SMTP_URL: "smtps://user:a-mail-secret@mail.example:465",
      IMAP_URL: "imaps://user:a-mail-secret@mail.example:993",
      MAIL_FROM: "us@rostrum.example",
    },
  });
  const [started] = linesOf(full.text()).filter(({ msg }) => msg === "started");
  assert.deepEqual(started?.on, ["outbound", "socialnet_execution", "email", "single_sign_on", "metrics"]);
  assert.equal(started?.url, "https://rostrum.example");
  assert.doesNotMatch(full.text(), /secret|sixteen/);
});

test("failed commits and the calls they refuse are one line each, however many there are", async (t) => {
  const { log, text } = keptLog();
  const server = await startServer(t, { log });
  const giveBack = await takeAway(server.folder);
  const used = new Map([["some-key", 1]]);
  for (let i = 0; i < 20; i += 1) {
    await assert.rejects(server.running.store.recordUse(used, []));
    await assert.rejects(server.operator("create_workspace", { name: "none" }), { code: "db_unavailable" });
  }
  const messages = linesOf(text()).map(({ msg }) => msg);
  const count = (message: string) => messages.filter((msg) => msg === message).length;
  assert.equal(count("a commit failed; its writes were undone"), 1);
  assert.equal(count("the database cannot be reached"), 1);
  await giveBack();
});
