import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { createLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/lib/vault.ts";
import { MAX_IN_DOUBT } from "../../src/workers/host-queues.ts";
import { serve } from "../cli/process.ts";
import { type Beside, openBeside } from "../support/beside.ts";
import { addEndpoints, addEvents } from "../support/endpoints.ts";
import { engineEnv, isPostgres, makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const HOSTS = 20;
const SUBSCRIPTIONS = 1_000;
const EVENTS = 20;
/** Every tenth endpoint answers 500. */
const fails = (endpoint: number) => endpoint % 10 === 0;
const ALL = SUBSCRIPTIONS * EVENTS;
const TO_FAIL = ALL / 10;
const KILLS = 3;

interface Received {
  text: string;
  /** The run of the server in which it was received. */
  lives: number[];
}

/** Endpoints that record what they receive; subscription i is at /i of one of the hosts. */
async function receivers(t: TestContext) {
  const received = new Map<string, Received>();
  const now = { life: 0, well: 0 };
  const servers: Server[] = [];
  for (let i = 0; i < HOSTS; i++) {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const id = request.headers["webhook-id"] as string;
        const text = Buffer.concat(chunks).toString("utf8");
        const { lives } = received.get(id) ?? { lives: [] };
        received.set(id, { text, lives: [...lives, now.life] });
        const failing = fails(Number(request.url?.slice(1)));
        if (!failing && lives.length === 0) now.well += 1;
        response.writeHead(failing ? 500 : 204).end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
  }
  t.after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const urls = Array.from({ length: SUBSCRIPTIONS }, (_, i) => `http://127.0.0.1:${ports[i % HOSTS]}/${i}`);
  return { received, now, urls };
}

function inDatabase<T>(folder: string, work: (db: Beside) => T): T {
  const db = openBeside(folder);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** A data folder with everything in the outbox, and no running server. */
async function seed(folder: string, urls: readonly string[]): Promise<string[]> {
  if (isPostgres) await makeDatabase(folder);
  const core = await openCore(readConfig({ data: folder }, engineEnv(folder)), createLog("silent"));
  const operate = async (name: string, workspaceId: string, input: object) =>
    JSON.parse((await callAsOperator(core, name, workspaceId, input)).body).data;
  const { id: workspaceId } = await operate("create_workspace", "", { name: "crash" });
  const { id: keyId } = await operate("create_key", workspaceId, { name: "k", scopes: ["socialnet.read"] });
  const vault = openVault(dataKeyFile(folder), undefined);
  const ground = { store: core.store, vault, workspaceId, keyId, now: Date.now };
  const ids = await addEvents(ground, await addEndpoints(ground, urls), EVENTS);
  await core.close();
  return ids;
}

const recorded = (folder: string) =>
  inDatabase(folder, (db) => db.prepare("SELECT event_id FROM deliveries WHERE status = 'delivered'").pluck().all());

test("across three kills during 20,000 events none is lost, and none is resent after its 2xx was recorded", async (t) => {
  const { received, now, urls } = await receivers(t);
  const folder = temporaryFolder(t);
  const ids = await seed(folder, urls);
  assert.equal(new Set(ids).size, ALL);
  const doneBefore: Set<unknown>[] = [];
  const start = () =>
    serve(t, ["--data", folder], {
      env: { ...engineEnv(folder), ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1", ROSTRUM_LOG_LEVEL: "error" },
    });

  for (now.life = 0; now.life < KILLS; now.life++) {
    const server = await start();
    const enough = ((now.life + 1) * (ALL - TO_FAIL)) / (KILLS + 1);
    await until(() => now.well >= enough, 60_000);
    await server.stop("SIGKILL");
    doneBefore.push(new Set(recorded(folder)));
  }
  const server = await start();
  await until(() => received.size === ALL && now.well === ALL - TO_FAIL, 60_000);
  await server.stop("SIGTERM");
  assert.equal(server.output().stderr, "");

  assert.deepEqual([...received.keys()].toSorted(), ids.toSorted(), "every event has come, and none was made up");
  type Sent = { id: string; url: string; body: string; status: string; attempts: number; lease: string; tried: number };
  const rows: Sent[] = inDatabase(folder, (db) =>
    db
      .prepare(
        `SELECT event_id AS id, url, body, status, attempts, lease,
           (SELECT count(*) FROM delivery_attempts WHERE delivery_seq = d.seq) AS tried FROM deliveries d`,
      )
      .all(),
  );
  assert.equal(rows.length, ALL);
  let again = 0;
  for (const { id, url, body, status, attempts, lease, tried } of rows) {
    const { text, lives } = received.get(id) as Received;
    assert.equal(text, body, "the bytes of the outbox");
    assert.deepEqual([lease, tried], [null, attempts]);
    if (fails(Number(new URL(url).pathname.slice(1)))) {
      assert.equal(status, "pending");
      // A kill can come between an attempt and its record.
      assert.ok(
        attempts >= 1 && attempts <= lives.length && lives.length <= attempts + KILLS,
        `${lives} by ${attempts}`,
      );
      continue;
    }
    assert.deepEqual([status, attempts], ["delivered", 1]);
    assert.equal(new Set(lives).size, lives.length, `more than once without a kill in between: ${lives}`);
    again += lives.length - 1;
    for (const [life, done] of doneBefore.entries()) {
      assert.ok(!done.has(id) || lives.every((lived) => lived <= life), `sent after its 2xx was recorded: ${lives}`);
    }
  }
  for (const done of doneBefore) assert.ok(done.size > 0, "every life has recorded something");
  t.diagnostic(`${again} of ${ALL} were sent again because a kill came between`);
  assert.ok(again <= KILLS * MAX_IN_DOUBT, `${again} were sent again`);
});
