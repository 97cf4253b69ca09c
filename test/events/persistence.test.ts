import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { createLog } from "../../src/lib/log.ts";
import { VaultError } from "../../src/lib/vault.ts";
import { backUp, restore } from "../../src/store/sqlite/maintenance.ts";
import { openBeside } from "../support/beside.ts";
import { engineEnv, isPostgres } from "../support/engine-under-test.ts";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { filesIn } from "../support/files.ts";
import { keptLog } from "../support/log.ts";
import { attempted, newSecret, requestReconnect, rowsOf, signersOf } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import { type ServerOptions, type TestServer, temporaryFolder } from "../support/server.ts";

const keyFile = (folder: string) => join(folder, "data.key");

/** Every encoding in which a secret could be stored. */
function spellings(secret: string): Buffer[] {
  const text = secret.replace(/^whsec_/, "").replace(/=+$/, "");
  const bytes = Buffer.from(text, "base64");
  const texts = [
    text,
    bytes.toString("hex"),
    bytes.toString("base64url"),
    Buffer.from(secret).toString("base64").slice(0, 40),
  ];
  return [bytes, ...texts.map((spelled) => Buffer.from(spelled))];
}

/** A server that had a subscription and was closed, with what is needed to continue. */
async function left(t: TestContext, options: ServerOptions = {}) {
  const folder = temporaryFolder(t);
  const receiver = await Receiver.start(t);
  const server = await startLocal(t, { ...options, folder });
  const account = await newAccount(server);
  const { result } = await subscribe(server, receiver);
  await server.running.close();
  const isHeard = async (after: TestServer) => {
    const before = receiver.deliveries.length;
    await requestReconnect(after, account);
    const delivery = (await receiver.waitFor(before + 1))[before] as Received;
    assert.equal(delivery.headers["x-mcp-subscription-id"], result.id);
    assert.deepEqual(signersOf(delivery, { own: receiver.secret }), ["own"]);
    await attempted(after, 1);
  };
  return { folder, receiver, server, isHeard };
}

test("no file and no log line contains a secret, or any text of an endpoint's response", async (t) => {
  const { log, text } = keptLog();
  const server = await startLocal(t, { log });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const secrets = Array.from({ length: 4 }, () => newSecret());
  const [first, second, refused, failed] = secrets as [string, string, string, string];
  const planted = `planted-${randomBytes(8).toString("hex")}`;
  const headers = { "x-planted": planted, "content-type": planted, location: `http://127.0.0.1:1/${planted}` };
  receiver.challengeAnswer = ({ body }, response) =>
    response.writeHead(200, planted, headers).end(JSON.stringify({ ...body, planted }));
  await subscribe(server, receiver, { delivery: { secret: first } });
  await subscribe(server, receiver, { delivery: { secret: second } });
  await subscribe(server, receiver, { delivery: { secret: refused, url: "http://hooks.example/" } });
  const webhook = await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
  receiver.challengeAnswer = (_, response) => response.writeHead(500, planted, headers).end(planted);
  const unverified = { secret: refused, url: `${receiver.url}&x` };
  assert.deepEqual((await subscribe(server, receiver, { delivery: unverified })).error.data, { reason: "http_5xx" });
  for (const [index, status] of [200, 302, 400, 500].entries()) {
    receiver.respond = (_, response) => response.writeHead(status, planted, headers).end(planted);
    await requestReconnect(server, account);
    await attempted(server, 2 * (index + 1));
  }
  const db = openBeside(server.folder);
  db.exec("ALTER TABLE subscriptions RENAME TO elsewhere");
  assert.ok((await subscribe(server, receiver, { delivery: { secret: failed } })).error);
  db.exec("ALTER TABLE elsewhere RENAME TO subscriptions");
  db.close();

  assert.match(text(), /the database cannot be reached/, "something was logged");
  assert.equal(rowsOf(server, "SELECT id FROM delivery_attempts").length, 8, "something was written");
  const filesNow = () => [...filesIn(server.folder)].filter(([name]) => name !== "data.key");
  const open = filesNow().filter(([name]) => !/^instances\/[\w-]+\.lock$/.test(name));
  const database = ["rostrum.db", "rostrum.db-reserve", "rostrum.db-shm", "rostrum.db-wal"];
  assert.deepEqual(
    open
      .map(([name]) => name)
      .filter((name) => !name.startsWith("postgres/"))
      .sort(),
    [...(isPostgres ? [] : database), "server.url"],
  );
  await server.running.close();
  const places = [...[...open, ...filesNow()].map(([, bytes]) => bytes), Buffer.from(text())];
  for (const secret of [...secrets, webhook.secret, receiver.secret]) {
    for (const spelled of spellings(secret)) for (const place of places) assert.equal(place.indexOf(spelled), -1);
  }
  for (const place of places) assert.equal(place.indexOf(planted), -1);
});

const backups = { skip: isPostgres && "backups of PostgreSQL are pg_dump's" };

test("the data key is created beside the database, private to its owner, and is in no backup", backups, async (t) => {
  const { folder, server, isHeard } = await left(t);
  assert.equal(statSync(keyFile(folder)).mode & 0o777, 0o600);
  const key = readFileSync(keyFile(folder), "utf8").trim();
  const copy = join(temporaryFolder(t), "copy.db");
  await backUp(databaseFile(folder), copy);
  for (const place of [copy, databaseFile(folder)].map((file) => readFileSync(file))) {
    for (const spelled of spellings(key)) assert.equal(place.indexOf(spelled), -1);
  }
  const elsewhere = join(temporaryFolder(t), "data");
  await restore(copy, databaseFile(elsewhere), "tests", Date.now());
  assert.equal(existsSync(keyFile(elsewhere)), false);
  await assert.rejects(startLocal(t, { folder: elsewhere }), VaultError);
  writeFileSync(keyFile(elsewhere), readFileSync(keyFile(folder)));
  const after = await startLocal(t, { folder: elsewhere });
  assert.equal(after.workspaceId, server.workspaceId);
  await isHeard(after);
});

test("another data key stops the start and says what to restore; with the right one, sending resumes", async (t) => {
  const { folder, isHeard } = await left(t);
  const key = readFileSync(keyFile(folder), "utf8").trim();
  const clear = (error: Error) => {
    assert.ok(error instanceof VaultError);
    assert.match(
      error.message,
      /encrypted with the data key [0-9a-f]{8}; (?:this one is [0-9a-f]{8}|the file \S+ does not exist)\./,
    );
    assert.match(error.message, /data\.key|ROSTRUM_DATA_KEY/);
    assert.ok(!error.message.includes(key));
    return true;
  };
  const other = randomBytes(32).toString("base64");
  await assert.rejects(startLocal(t, { folder, env: { ROSTRUM_DATA_KEY: other } }), clear);
  rmSync(keyFile(folder));
  await assert.rejects(startLocal(t, { folder }), clear);
  assert.equal(existsSync(keyFile(folder)), false, "no wrong key is left behind");
  assert.equal(rowsOf({ folder }, "SELECT id FROM subscriptions").length, 1, "nothing was lost");
  await isHeard(await startLocal(t, { folder, env: { ROSTRUM_DATA_KEY: key } }));
});

test("a command beside a server never seals with its own key", async (t) => {
  const key = randomBytes(32).toString("base64");
  const server = await startLocal(t, { env: { ROSTRUM_DATA_KEY: key } });
  const open = (env: Record<string, string>) =>
    openCore(readConfig({ data: server.folder }, { ...engineEnv(server.folder), ...env }), createLog("silent"));
  await assert.rejects(open({}), VaultError);
  await assert.rejects(open({ ROSTRUM_DATA_KEY: randomBytes(32).toString("base64") }), VaultError);
  assert.equal(existsSync(keyFile(server.folder)), false);
  await (await open({ ROSTRUM_DATA_KEY: key })).close();
});

test("ROSTRUM_DATA_KEY alone is enough, and leaves no key in the folder", async (t) => {
  const env = { ROSTRUM_DATA_KEY: randomBytes(32).toString("base64") };
  const { folder, isHeard } = await left(t, { env });
  assert.equal(existsSync(keyFile(folder)), false);
  await assert.rejects(startLocal(t, { folder }), VaultError);
  await isHeard(await startLocal(t, { folder, env }));
});

test("an invalid ROSTRUM_DATA_KEY is refused by its name, and is not repeated", () => {
  for (const bad of ["nonsense", randomBytes(31).toString("base64"), randomBytes(33).toString("base64")]) {
    assert.throws(
      () => readConfig({}, { ROSTRUM_DATA_KEY: bad }),
      (error: Error) => {
        assert.match(error.message, /^ROSTRUM_DATA_KEY must be 32 bytes in base64/);
        return !error.message.includes(bad);
      },
    );
  }
});
