import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { engineEnv, isPostgres, makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { call, type ServerProcess, serve } from "./process.ts";

const LANES = 12;
/** A key can write 60 times a minute. */
const MAX_WRITES = 55;
const KILL_AFTER = 150;

/** A data folder with one workspace and one key per lane. */
async function prepare(t: TestContext): Promise<{ folder: string; keys: string[] }> {
  const folder = temporaryFolder(t);
  if (isPostgres) await makeDatabase(folder);
  const core = await openCore(readConfig({ data: folder }, engineEnv(folder)), createLog("silent"));
  const made = async (name: string, workspaceId: string, input: unknown) =>
    JSON.parse((await callAsOperator(core, name, workspaceId, input)).body).data;
  const { id } = await made("create_workspace", "", { name: "one" });
  const keys: string[] = [];
  for (let lane = 0; lane < LANES; lane += 1) {
    keys.push((await made("create_key", id, { name: `${lane}`, scopes: ["contacts.read", "contacts.write"] })).key);
  }
  await core.close();
  return { folder, keys };
}

interface Attempt {
  key: string;
  idempotencyKey: string;
  /** The acknowledged contact; undefined if no answer came. */
  id: string | undefined;
}

function create(server: ServerProcess, { key, idempotencyKey }: Attempt) {
  return call(server, "POST", "/contacts", {
    key,
    body: { email: `${idempotencyKey}@x.example`, first_name: idempotencyKey },
    headers: { "idempotency-key": idempotencyKey },
  });
}

/** Creates contacts on every lane at once and kills the server in the middle of it. */
async function createUntilKilled(server: ServerProcess, keys: readonly string[]): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  let acknowledged = 0;
  await Promise.all(
    keys.map(async (key, lane) => {
      for (let n = 0; n < MAX_WRITES; n += 1) {
        const attempt: Attempt = { key, idempotencyKey: `lane-${lane}-${n}`, id: undefined };
        attempts.push(attempt);
        const answer = await create(server, attempt).catch(() => undefined);
        if (answer === undefined) return;
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        attempt.id = answer.body.data.id;
        acknowledged += 1;
        if (acknowledged === KILL_AFTER) server.child.kill("SIGKILL");
      }
    }),
  );
  return attempts;
}

test("after kill -9 during a stream of creates, no acknowledged contact is lost, and repeats create no duplicates", async (t) => {
  const { folder, keys } = await prepare(t);
  const first = await serve(t, ["--data", folder]);
  const attempts = await createUntilKilled(first, keys);
  assert.equal((await first.ended).signal, "SIGKILL");
  const acknowledged = attempts.filter(({ id }) => id !== undefined);
  assert.ok(acknowledged.length >= KILL_AFTER);
  assert.ok(acknowledged.length < attempts.length, "some were in flight");

  const second = await serve(t, ["--data", folder]);
  for (const { key, id, idempotencyKey } of acknowledged) {
    const { status, body } = await call(second, "GET", `/contacts/${id}`, { key });
    assert.deepEqual([status, body.data?.first_name], [200, idempotencyKey]);
  }
  for (const attempt of attempts) {
    const { status, body } = await create(second, attempt);
    assert.equal(status, 201, JSON.stringify(body));
    if (attempt.id !== undefined) assert.equal(body.data.id, attempt.id, "the stored answer, not a second contact");
  }
  const { body } = await call(second, "GET", "/contacts?limit=1", { key: keys[0] as string });
  assert.equal(body.meta.total, attempts.length);
});
