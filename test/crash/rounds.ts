/**
 * Kills a server with kill -9 amid writes over REST, MCP, webhooks, email and imports, again and again on the same data,
 * and prints what was lost, what was written twice, and what each kill left in doubt: `npm run crash -- --rounds 200`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import type { Step } from "../../src/domain/outreach/sequence.ts";
import { databaseFile, dataKeyFile } from "../../src/lib/data-folder.ts";
import { newId } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/log.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { openVault } from "../../src/lib/vault.ts";
import { hashCopy, recordMailFrom } from "../../src/services/outreach/approvals.ts";
import { call, type ServerProcess, serve, spawnRostrum } from "../cli/process.ts";
import { smtpServer } from "../mail/smtp.ts";
import { addEndpoints, addEvents, type Ground } from "../support/endpoints.ts";
import { headerOf } from "../support/engine.ts";
import { programArgs } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "20" } } });
const ROUNDS = Number(values.rounds);
if (!Number.isInteger(ROUNDS) || ROUNDS < 1) throw new Error("--rounds is a number from 1.");

/** A key can write 60 times a minute, and its count restarts with each server. */
const MAX_WRITES = 50;
const REST_KEYS = 6;
const MCP_KEYS = 2;
/** Writes acknowledged over REST and MCP before a kill, besides the other surfaces. */
const ACKNOWLEDGED = 100;
const MESSAGES = 60;
const MESSAGE_MS = 15;
const HOSTS = 3;
const ENDPOINTS = 12;
const EVENTS_EACH = 2;
const IMPORTED = 1_000;
/** The kill comes at a random moment within this time after enough writes were acknowledged and some emails sent. */
const WITHIN_MS = 300;
/** Pause between two writes of one key, so that all surfaces are busy at the same time. */
const PAUSE_MS = 40;
/** Pause between two batches of events. */
const EVENTS_PAUSE_MS = 20;
/** How long the kill waits for emails, which may all have been sent. */
const EMAILS_WITHIN_MS = 5_000;
const DEADLINE_MS = 120_000;

const MAIL: Step = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const FROM = { name: "Robin", address: "sales@acme.example" };

const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.push(close) } as Parameters<typeof serve>[0];

const folder = temporaryFolder(hooks as never);
const core = await openCore(readConfig({ data: folder }, { ROSTRUM_OUTBOUND_GATE: "open" }), createLog("silent"));
closing.push(() => core.close());
const db = new Database(databaseFile(folder), { readonly: true });
closing.push(() => db.close());

const operate = async (name: string, input: object, workspace = workspaceId) => {
  const { data, error } = JSON.parse((await callAsOperator(core, name, workspace, input)).body);
  if (error) throw new Error(`${name}: ${error}`);
  return data;
};
let workspaceId = "";
workspaceId = (await operate("create_workspace", { name: "crash" })).id;
const keyFor = async (name: string, scopes: string[]) => await operate("create_key", { name, scopes });
const restKeys: string[] = [];
const mcpKeys: string[] = [];
for (let i = 0; i < REST_KEYS; i++) restKeys.push((await keyFor(`rest-${i}`, ["contacts.read", "contacts.write"])).key);
for (let i = 0; i < MCP_KEYS; i++) mcpKeys.push((await keyFor(`mcp-${i}`, ["social_checklist.submit"])).key);

/** Everything lost or duplicated, with a reason each. */
const lost: string[] = [];
const twice: string[] = [];
/** Results of each kill. */
const inDoubt: number[] = [];
const repeated: number[] = [];
let acknowledged = 0;
let fewest = Number.POSITIVE_INFINITY;

// Email: a slow server that keeps what it accepted.
const { server: smtp, taken } = await smtpServer(hooks, { answer: () => sleep(MESSAGE_MS, undefined) });
const env = {
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: `${FROM.name} <${FROM.address}>`,
  ROSTRUM_OUTBOUND_GATE: "open",
  ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1",
  ROSTRUM_LOG_LEVEL: "fatal",
};
await recordMailFrom(core.store, core.asSystem, senderText(FROM), Date.now());
const sequence = await operate("create_sequence", { name: "crash", steps: [MAIL] });
await operate("set_sequence_status", { sequence_id: sequence.id, status: "active" });

/** Contacts whose first email is due now. */
async function enrollMany(round: number): Promise<void> {
  const now = Date.now();
  await core.store.write(workspaceId, async ({ contacts, approvals, enrollments }) => {
    const audience = new Map<string, string>();
    for (let i = 0; i < MESSAGES; i++) {
      const fields = { email: `mail-${round}-${i}@x.example`, first_name: "Ada", company: "Engines" };
      const { contact } = await contacts.insert({ id: newId(now), fields, source: "import", now });
      audience.set(contact.id, hashCopy(contact, [MAIL]));
    }
    const approvalId = newId(now);
    const { id: sequenceId, steps_hash: stepsHash } = sequence;
    await approvals.insert({ id: approvalId, sequenceId, stepsHash, approvedBy: "crash", now, audience });
    await approvals.apply(approvalId, "crash", now);
    const nothing = { heldReason: null, heldDetail: null, postponedReason: null, endedAt: null, endedReason: null };
    for (const contactId of audience.keys()) {
      const open = { status: "active", currentStep: 0, dueAt: now, enrolledAt: now, ...nothing } as const;
      await enrollments.insert({ id: newId(now), sequenceId, contactId, approvalId, ...open });
    }
  });
}

// Webhooks: endpoints that record what they received, and in which life of the server.
let life = 0;
const received = new Map<string, number[]>();
const ports: number[] = [];
for (let i = 0; i < HOSTS; i++) {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = request.headers["webhook-id"] as string;
      received.set(id, [...(received.get(id) ?? []), life]);
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  ports.push((receiver.address() as AddressInfo).port);
  closing.push(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
}
const { id: keyId } = await keyFor("events", ["socialnet.read"]);
const ground: Ground = {
  store: core.store,
  vault: openVault(dataKeyFile(folder), undefined),
  workspaceId,
  keyId,
  now: Date.now,
};
const endpoints = await addEndpoints(
  ground,
  Array.from({ length: ENDPOINTS }, (_, i) => `http://127.0.0.1:${ports[i % HOSTS]}/${i}`),
);
const events: string[] = [];

const isKilled = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** Adds events to the outbox while the server lives. */
async function feedEvents(server: ServerProcess): Promise<number> {
  let fed = 0;
  while (!isKilled(server.child)) {
    const ids = await addEvents(ground, endpoints, EVENTS_EACH);
    events.push(...ids);
    fed += ids.length;
    await sleep(EVENTS_PAUSE_MS);
  }
  return fed;
}

/** A write that was started, and the acknowledged id: undefined if no answer came. */
interface Write {
  key: string;
  idempotencyKey: string;
  id?: string | undefined;
  send(server: ServerProcess, write: Write): Promise<string>;
}

async function createContact(server: ServerProcess, { key, idempotencyKey }: Write): Promise<string> {
  const { status, body } = await call(server, "POST", "/contacts", {
    key,
    body: { email: `${idempotencyKey}@x.example`, first_name: idempotencyKey },
    headers: { "idempotency-key": idempotencyKey },
  });
  if (status !== 201) throw new Refused(JSON.stringify(body));
  return body.data.id;
}

const [item] = JSON.parse(
  (await callAsOperator(core, "list_checklist_items", workspaceId, { limit: 100 })).body,
).data.filter(({ agent }: any) => agent?.accepts_output_kinds?.includes("social_post"));

async function submitOutput(server: ServerProcess, { key, idempotencyKey }: Write): Promise<string> {
  const given = { id: item.id, output_kind: "social_post", body: idempotencyKey };
  const { body } = await call(server, "POST", "/mcp", {
    key,
    headers: { accept: "application/json, text/event-stream", "idempotency-key": idempotencyKey },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "submit_checklist_output", arguments: given },
    },
  });
  const answer = body.result?.structuredContent?.data;
  if (body.result?.isError || answer === undefined) throw new Refused(JSON.stringify(body));
  return answer.id;
}

class Refused extends Error {}

/** Writes on every key at once, until the server is gone. */
async function writeUntilKilled(server: ServerProcess, round: number, kill: () => Promise<void>): Promise<Write[]> {
  const writes: Write[] = [];
  let done = 0;
  const lanes = [
    ...restKeys.map((key) => ({ key, name: "rest", send: createContact })),
    ...mcpKeys.map((key) => ({ key, name: "mcp", send: submitOutput })),
  ];
  await Promise.all(
    lanes.map(async ({ key, name, send }, lane) => {
      for (let n = 0; n < MAX_WRITES; n++) {
        const write: Write = { key, idempotencyKey: `${name}-${round}-${lane}-${n}`, send };
        writes.push(write);
        try {
          write.id = await send(server, write);
        } catch (error) {
          if (error instanceof Refused) throw error;
          return;
        }
        done += 1;
        if (done === ACKNOWLEDGED) void kill();
        await sleep(PAUSE_MS);
      }
    }),
  );
  return writes;
}

/** Repeats each write with its key: an acknowledged one returns the same record, any other is created once. */
async function verifyWrites(server: ServerProcess, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    const id = await write.send(server, write);
    if (write.id !== undefined && write.id !== id) lost.push(`${write.idempotencyKey}: ${write.id} became ${id}`);
  }
}

const count = (sql: string, ...params: unknown[]) =>
  db
    .prepare<unknown[], number>(sql)
    .pluck()
    .get(...params) as number;

function importFile(round: number): string {
  const file = join(folder, `import-${round}.csv`);
  const rows = Array.from({ length: IMPORTED }, (_, i) => `import-${round}-${i}@x.example,Ada,Engines`);
  writeFileSync(file, `Email,First Name,Company\n${rows.join("\n")}\n`);
  return file;
}

function startImport(file: string): ChildProcess {
  const args = [...programArgs("bin/rostrum.ts"), "import", file, "--data", folder, "--json"];
  return spawn(process.execPath, args, { stdio: "ignore" });
}

async function finishImport(file: string, round: number, imported: number): Promise<void> {
  const { status, stderr } = await spawnRostrum(["import", file, "--data", folder, "--json"]);
  if (status !== 0) lost.push(`import ${round}: ended with ${status}: ${stderr}`);
  const there = count("SELECT count(*) FROM contacts WHERE email LIKE ?", `import-${round}-%`);
  if (there < Math.max(imported, IMPORTED)) lost.push(`import ${round}: ${there} of ${IMPORTED} rows`);
  if (there > IMPORTED) twice.push(`import ${round}: ${there} contacts of ${IMPORTED} rows`);
}

const messageIds = () => taken.map((one) => headerOf(one, "message-id"));

/** Settles each unconfirmed message as the mail server knows it: it must not be sent twice or lost. */
async function resolveUnknown(): Promise<number> {
  const unknown: any[] = await operate("list_sends", { status: "unknown", limit: 100 });
  const arrived = new Set(messageIds());
  for (const outcome of ["sent", "retry"]) {
    const send_ids = unknown
      .filter((send) => arrived.has(send.message_id) === (outcome === "sent"))
      .map(({ id }) => id);
    if (send_ids.length > 0) await operate("settle_sends", { send_ids, outcome });
  }
  return unknown.length;
}

/** Waits until the messages that the last server was handing over have been found. */
async function resolveDoubt(expected: number): Promise<void> {
  for (let resolved = 0; resolved < expected; ) {
    await until(() => count("SELECT count(*) FROM sends WHERE status = 'unknown'") > 0, DEADLINE_MS);
    resolved += await resolveUnknown();
  }
}

const start = () => serve(hooks, ["--data", folder], { env });
let before: { writes: Write[]; file: string; imported: number; round: number } | undefined;

for (let round = 1; round <= ROUNDS; round++) {
  life = round;
  const file = importFile(round);
  const server = await start();
  if (before !== undefined) {
    await verifyWrites(server, before.writes);
    await resolveDoubt(inDoubt.at(-1) ?? 0);
    await finishImport(before.file, before.round, before.imported);
  }
  await enrollMany(round);
  const feeding = feedEvents(server);
  const importing = startImport(file);
  const leave = taken.length + Math.random() * MESSAGES * 0.6;
  const kill = async () => {
    await until(() => taken.length >= leave, EMAILS_WITHIN_MS).catch(() => undefined);
    await sleep(Math.random() * WITHIN_MS);
    server.child.kill("SIGKILL");
    importing.kill("SIGKILL");
  };
  const writes = await writeUntilKilled(server, round, kill);
  await server.ended;
  const fed = await feeding;
  if (!isKilled(importing)) await once(importing, "close");
  const imported = count("SELECT count(*) FROM contacts WHERE email LIKE ?", `import-${round}-%`);
  inDoubt.push(count("SELECT count(*) FROM sends WHERE status = 'sending'"));
  repeated.push([...received.values()].filter((lives) => lives.length > 1 && lives.at(-1) === round).length);
  const ofRound = writes.filter(({ id }) => id !== undefined).length + imported + MESSAGES + fed;
  acknowledged += ofRound;
  fewest = Math.min(fewest, ofRound);
  before = { writes, file, imported, round };
  process.stderr.write(
    `round ${round}: ${ofRound} acknowledged; emails in doubt ${inDoubt.at(-1)}, webhooks repeated ${repeated.at(-1)}, ` +
      `lost ${lost.length}, twice ${twice.length}\n`,
  );
}

// A final run in which everything finishes.
life = ROUNDS + 1;
const last = await start();
if (before !== undefined) {
  await verifyWrites(last, before.writes);
  await resolveDoubt(inDoubt.at(-1) ?? 0);
  await finishImport(before.file, before.round, before.imported);
}
await until(() => count("SELECT count(*) FROM sends WHERE status = 'sent'") === ROUNDS * MESSAGES, DEADLINE_MS).catch(
  () => {
    const sent = count("SELECT count(*) FROM sends WHERE status = 'sent'");
    lost.push(`${ROUNDS * MESSAGES - sent} emails did not come to their end`);
  },
);
await until(() => received.size === events.length, DEADLINE_MS).catch(() => undefined);
await last.stop("SIGTERM");
repeated.push([...received.values()].filter((lives) => lives.length > 1 && lives.at(-1) === life).length);

const arrivals = new Map<string | undefined, number>();
for (const id of messageIds()) arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
for (const [id, times] of arrivals) if (times > 1) twice.push(`email ${id} arrived ${times} times`);
for (const id of db.prepare<[], string>("SELECT message_id FROM sends WHERE status = 'sent'").pluck().all()) {
  if (!arrivals.has(id)) lost.push(`email ${id} counts as sent and never arrived`);
}
for (const id of events) if (!received.has(id)) lost.push(`webhook ${id} never arrived`);
for (const [id, lives] of received) {
  if (new Set(lives).size < lives.length) twice.push(`webhook ${id} was sent twice without a kill in between`);
}
const contacts = count("SELECT count(*) FROM contacts WHERE email LIKE 'rest-%'");
const distinct = count("SELECT count(DISTINCT email) FROM contacts WHERE email LIKE 'rest-%'");
if (contacts > distinct) twice.push(`${contacts - distinct} contacts`);
const posts = count("SELECT count(*) FROM social_posts");
const bodies = count("SELECT count(DISTINCT body) FROM social_posts");
if (posts > bodies) twice.push(`${posts - bodies} posts`);

for (const reason of [...lost, ...twice]) process.stderr.write(`${reason}\n`);
const figures = {
  kills: ROUNDS,
  acknowledged,
  acknowledged_per_round_min: fewest,
  lost: lost.length,
  written_twice: twice.length,
  emails: taken.length,
  unknown_emails_per_kill_max: Math.max(...inDoubt),
  unknown_emails: inDoubt.reduce((sum, one) => sum + one, 0),
  webhooks: events.length,
  repeated_webhooks_per_kill_max: Math.max(...repeated),
  repeated_webhooks: repeated.reduce((sum, one) => sum + one, 0),
};
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
for (const close of closing.reverse()) await close();
process.exitCode = lost.length + twice.length === 0 ? 0 : 1;
