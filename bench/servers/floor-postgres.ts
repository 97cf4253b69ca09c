/**
 * The floor on PostgreSQL: the same requests answered by node:http and the statements that Rostrum sends, with `pg` and
 * nothing else: floor-postgres.js <database URL> <connections>
 */
import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import {
  answerHash,
  BASE,
  created,
  envelope,
  FIELDS,
  type Fields,
  type FloorKey,
  type Found,
  keyHash,
  list,
  type Page,
  pageIn,
  readBody,
  send,
  timeId,
} from "./floor-answers.ts";
import { type RpcMessage, rpc } from "./floor-rpc.ts";
import { serve } from "./serve.ts";

const [, , url = "", connections = ""] = process.argv;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
const config = { connectionString: url, options: "-c synchronous_commit=on -c enable_seqscan=off -c jit=off" };
const half = Number(connections) / 2;
const readers = new pg.Pool({ ...config, max: half });
const writers = new pg.Pool({ ...config, max: half });

const time = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`;
const CONTACT = `(SELECT row_to_json(o)::text FROM (SELECT id, ${FIELDS.join()}, lifecycle, source, tags::json AS tags,
  ${time("created_at")}, ${time("updated_at")}) AS o)`;
const ONE = `SELECT ${CONTACT} AS text FROM contacts WHERE id = $1 AND workspace_id = $2 AND archived_at IS NULL`;
const pageText = ({
  limit,
  offset,
}: Page) => `SELECT '[' || coalesce(string_agg(text, ','), '') || ']' AS text, count(*) AS count,
  (SELECT coalesce(sum(live), 0) FROM contact_sources WHERE workspace_id = $1) AS total FROM
  (SELECT ${CONTACT} AS text FROM contacts WHERE workspace_id = $1 AND archived_at IS NULL
   ORDER BY seq DESC LIMIT ${limit} OFFSET ${offset}) AS page`;
const KEY = `SELECT id, workspace_id AS "workspaceId", revoked_at AS "revokedAt" FROM api_keys WHERE hash = $1`;
const ANSWER = "SELECT body FROM answers WHERE hash = $1";
const COLUMNS = [...["id", "workspace_id", "email_key", "lifecycle", "source", "created_at", "updated_at"], ...FIELDS];
const INSERT = `INSERT INTO contacts (${COLUMNS.join()}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join()}) RETURNING seq`;
const PROVENANCE = `INSERT INTO contact_provenance (contact_seq, field, source, actor_id, at)
  SELECT $1, field, 'public_api', $2, $3 FROM unnest($4::text[]) AS field`;
const LOG = `INSERT INTO operation_log (workspace_id, at, operation, surface, actor_kind, actor_id, record_id, request_id)
  VALUES ($1, $2, 'create_contact', 'rest', 'key', $3, $4, $5)`;
const KEEP = "INSERT INTO answers (hash, status, body, created_at) VALUES ($1, 201, $2, $3)";
/** What Rostrum asks inside the transaction before it writes: is the key still good, and what may the workspace do? */
const STATE = `SELECT revoked_at AS "revokedAt", expires_at AS "expiresAt" FROM api_keys WHERE id = $1`;
const BILLING = "SELECT billing_state, billing_ends_at FROM workspaces WHERE id = $1";
const PLAN = "SELECT plan, contact_allowance, socialnet_allowance FROM workspaces WHERE id = $1";
/** Under which names connections keep the statements prepared. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `f${names.size}`;
  names.set(text, name);
  return name;
}

async function ask<Row>(at: pg.Pool | pg.PoolClient, text: string, values: unknown[]): Promise<Row | undefined> {
  const { rows } = await at.query({ name: nameOf(text), text, values });
  return rows[0];
}

const contact = async (workspaceId: string, id: string) =>
  (await ask<{ text: string }>(readers, ONE, [id, workspaceId]))?.text;

interface Job {
  by: FloorKey;
  fields: Fields;
  hash: Buffer;
  done(text: string): void;
}

/** Jobs of a workspace that wait together share a transaction. */
const queues = new Map<string, Job[]>();
const MOST = 64;

function enqueue(job: Job): void {
  const { workspaceId } = job.by;
  const queue = queues.get(workspaceId);
  if (queue !== undefined) {
    queue.push(job);
    return;
  }
  const begun = [job];
  queues.set(workspaceId, begun);
  setImmediate(() => void drain(workspaceId, begun));
}

async function drain(workspaceId: string, queue: Job[]): Promise<void> {
  const client = await writers.connect();
  while (queue.length > 0) {
    const batch = queue.splice(0, MOST);
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${workspaceId}'))`);
    const texts: string[] = [];
    let before = "";
    for (const job of batch) {
      if (batch.length > 1) await client.query(`${before}SAVEPOINT job`);
      texts.push(await create(client, job));
      if (batch.length > 1) before = "RELEASE SAVEPOINT job; ";
    }
    await client.query(`${before}COMMIT`);
    for (const [i, { done }] of batch.entries()) done(texts[i] as string);
  }
  client.release();
  queues.delete(workspaceId);
}

async function create(client: pg.PoolClient, { by: { id: actor, workspaceId }, fields, hash }: Job): Promise<string> {
  await ask(client, STATE, [actor]);
  const earlier = await ask<{ body: string }>(client, ANSWER, [hash]);
  if (earlier !== undefined) return earlier.body;
  await ask(client, BILLING, [workspaceId]);
  await ask(client, PLAN, [workspaceId]);
  const now = Date.now();
  const id = timeId(now);
  const values = Object.fromEntries(FIELDS.map((field) => [field, fields[field] ?? null]));
  const email = fields.email?.toLowerCase() ?? null;
  const row = [id, workspaceId, email, "prospect", "public_api", now, now, ...FIELDS.map((field) => values[field])];
  const inserted = await ask<{ seq: number }>(client, INSERT, row);
  const text = created(id, values, now);
  await ask(client, PROVENANCE, [inserted?.seq, actor, now, FIELDS.filter((field) => fields[field])]);
  await ask(client, LOG, [workspaceId, now, actor, id, randomUUID()]);
  await ask(client, KEEP, [hash, text, now]);
  return text;
}

const server = http.createServer(async (request, response) => {
  const key = await ask<FloorKey>(readers, KEY, [keyHash(request)]);
  if (key === undefined || key.revokedAt !== null) return send(response, 401, "{}");
  const path = request.url ?? "";
  if (request.method !== "GET") return readBody(request, (body) => void post(key, request, body, response));
  if (path.startsWith(`${BASE}/`)) {
    return send(response, 200, envelope((await contact(key.workspaceId, path.slice(BASE.length + 1))) ?? "null"));
  }
  const page = pageIn(path);
  const found = await ask<Found>(readers, pageText(page), [key.workspaceId]);
  send(response, 200, list(page, found as Found));
});

async function post(key: FloorKey, request: http.IncomingMessage, body: unknown, response: http.ServerResponse) {
  if (request.url === BASE) {
    const hash = answerHash(key.workspaceId, request);
    await ask(readers, ANSWER, [hash]);
    enqueue({ by: key, fields: body as Fields, hash, done: (text) => send(response, 201, text) });
    return;
  }
  const message = body as RpcMessage;
  const text = await contact(key.workspaceId, message.params?.arguments?.id ?? "");
  send(
    response,
    200,
    rpc(message, () => text),
  );
}

server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => {
  serve({
    port: (server.address() as AddressInfo).port,
    close: async () => void (await Promise.all([readers.end(), writers.end()])),
  });
});
