/**
 * Kills a server with kill -9 amid writes over REST, MCP, webhooks, email, imports and an agent's actions, again and again
 * on the same data, and prints what was lost, what was done twice, and what each kill left in doubt:
 * `npm run crash -- --rounds 200`. On PostgreSQL it kills one of several servers, all of them, or the database:
 * `npm run crash -- --rounds 200 --engine postgres --gateways 3`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import type { Step } from "../../src/domain/outreach/sequence.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
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
import { postgres, sqliteIn } from "./database.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    engine: { type: "string", default: "sqlite" },
    gateways: { type: "string", default: "1" },
  },
});
const ROUNDS = Number(values.rounds);
const GATEWAYS = Number(values.gateways);
if (!Number.isInteger(ROUNDS) || ROUNDS < 1) throw new Error("--rounds is a number from 1.");
if (!Number.isInteger(GATEWAYS) || GATEWAYS < 1) throw new Error("--gateways is a number from 1.");
if (values.engine !== "sqlite" && values.engine !== "postgres") throw new Error("--engine is sqlite or postgres.");
if (values.engine === "sqlite" && GATEWAYS > 1) throw new Error("Several gateways need --engine postgres.");

/** A key can write 60 times a minute. It has new keys in each round, and repeats each write once. */
const MAX_WRITES = 28;
/** In each of the two workspaces. */
const REST_KEYS = 5;
const MCP_KEYS = 2;
/** Actions that an agent starts in a round, and how many ask for each of them at once. */
const ACTIONS = 4;
const RACERS = 3;
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
const database = values.engine === "sqlite" ? sqliteIn(folder) : await postgres();
closing.push(() => database.close());
const core = await openCore(
  readConfig({ data: folder }, { ROSTRUM_OUTBOUND_GATE: "open", ...database.env }),
  createLog("silent"),
);
closing.push(() => core.close());

const operate = async (name: string, input: object, workspace = workspaceId) => {
  const { data, error } = JSON.parse((await callAsOperator(core, name, workspace, input)).body);
  if (error) throw new Error(`${name}: ${error}`);
  return data;
};
let workspaceId = "";
workspaceId = (await operate("create_workspace", { name: "crash" })).id;
/** Its rows are no business of the first one's keys. */
const otherId = (await operate("create_workspace", { name: "other" })).id;
const keyFor = (name: string, scopes: string[], more: object = {}, workspace = workspaceId) =>
  operate("create_key", { name, scopes, ...more }, workspace);

/** What was lost, done twice, or seen by the wrong workspace: each is told at once. */
class Faults extends Array<string> {
  override push(...reasons: string[]): number {
    for (const reason of reasons) process.stderr.write(`${reason}\n`);
    return super.push(...reasons);
  }
}
const [lost, twice, mixed] = [new Faults(), new Faults(), new Faults()];
/** Results of each kill. */
const unconfirmed: number[] = [];
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
  ROSTRUM_SOCIALNET_EXECUTION: "on",
  ...database.env,
  ROSTRUM_LOG_LEVEL: "fatal",
};
await recordMailFrom(core.store, core.asSystem, senderText(FROM), Date.now());
await core.store.recordHasMailServer(true, Date.now());
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

// Webhooks: endpoints that record when they received what.
const received = new Map<string, number[]>();
const ports: number[] = [];
for (let i = 0; i < HOSTS; i++) {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = request.headers["webhook-id"] as string;
      received.set(id, [...(received.get(id) ?? []), Date.now()]);
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

const isKilled = ({ child }: ServerProcess) => child.exitCode !== null || child.signalCode !== null;

/** Whether the round's kill has come. */
let isOver = false;

/** Adds events to the outbox until the kill. One whose write failed may be there all the same. */
async function feedEvents(): Promise<number> {
  let fed = 0;
  while (!isOver) {
    const ids = await addEvents(ground, endpoints, EVENTS_EACH).catch(() => []);
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

/** An answer that is no success. A server without a database says so, and has not written. */
class Refused extends Error {
  readonly isAway: boolean;

  constructor({ code, ...answer }: { code?: string }) {
    super(JSON.stringify({ code, ...answer }));
    this.isAway = code === "db_unavailable";
  }
}

async function createContact(server: ServerProcess, { key, idempotencyKey }: Write): Promise<string> {
  const { status, body } = await call(server, "POST", "/contacts", {
    key,
    body: { email: `${idempotencyKey}@x.example`, first_name: idempotencyKey },
    headers: { "idempotency-key": idempotencyKey },
  });
  if (status !== 201) throw new Refused(body);
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
  const answer = body.result?.structuredContent ?? body.error?.data ?? body;
  if (body.result?.isError || answer.data === undefined) throw new Refused(answer);
  return answer.data.id;
}

const at = (gateways: readonly ServerProcess[], i: number) => gateways[i % gateways.length] as ServerProcess;

/** A key for each of the writers of a round, of both workspaces. */
async function newKeys(round: number): Promise<{ rest: string[]; other: string[]; mcp: string[] }> {
  const many = async (name: string, length: number, scopes: string[], workspace = workspaceId) => {
    const keys: string[] = [];
    for (let i = 0; i < length; i++) keys.push((await keyFor(`${name}-${round}-${i}`, scopes, {}, workspace)).key);
    return keys;
  };
  const contacts = ["contacts.read", "contacts.write"];
  return {
    rest: await many("rest", REST_KEYS, contacts),
    other: await many("other", REST_KEYS, contacts, otherId),
    mcp: await many("mcp", MCP_KEYS, ["social_checklist.submit"]),
  };
}

/** Writes on every key at once, until the gateways are gone or the kill is over. */
async function writeUntilKilled(
  gateways: readonly ServerProcess[],
  round: number,
  keys: Awaited<ReturnType<typeof newKeys>>,
  kill: () => void,
): Promise<Write[]> {
  const writes: Write[] = [];
  let done = 0;
  const lanes = [
    ...keys.rest.map((key) => ({ key, name: "rest", send: createContact })),
    ...keys.other.map((key) => ({ key, name: "other", send: createContact })),
    ...keys.mcp.map((key) => ({ key, name: "mcp", send: submitOutput })),
  ];
  await Promise.all(
    lanes.map(async ({ key, name, send }, lane) => {
      const server = at(gateways, lane);
      for (let n = 0; n < MAX_WRITES && !isOver; n++) {
        const write: Write = { key, idempotencyKey: `${name}-${round}-${lane}-${n}`, send };
        writes.push(write);
        try {
          write.id = await send(server, write);
        } catch (error) {
          if (error instanceof Refused && !error.isAway) throw error;
          if (isKilled(server)) return;
        }
        if (write.id !== undefined) done += 1;
        if (done === ACKNOWLEDGED) kill();
        await sleep(PAUSE_MS);
      }
    }),
  );
  return writes;
}

/** Repeats each write with its key: an acknowledged one returns the same record, any other is created once. */
async function verifyWrites(gateways: readonly ServerProcess[], writes: readonly Write[]): Promise<void> {
  await Promise.all(
    gateways.map(async (_, lane) => {
      for (let i = lane; i < writes.length; i += gateways.length) {
        const write = writes[i] as Write;
        // Not the gateway that it was sent to at first.
        const id = await write.send(at(gateways, lane + 1), write);
        if (write.id !== undefined && write.id !== id) lost.push(`${write.idempotencyKey}: ${write.id} became ${id}`);
      }
    }),
  );
}

/** A key of one workspace reads no row of the other. */
async function verifyTenancy(gateways: readonly ServerProcess[], { rest, other }: Awaited<ReturnType<typeof newKeys>>) {
  for (const [i, gateway] of gateways.entries()) {
    for (const [key, isOther] of [
      [rest[i % rest.length], false],
      [other[i % other.length], true],
    ] as const) {
      const { body } = await call(gateway, "GET", "/contacts?limit=100", { key: key as string });
      if (body.data.length === 0) lost.push("a workspace lists no contact");
      for (const { email } of body.data) {
        if (email.startsWith("other-") !== isOther) mixed.push(`${email} was listed in the wrong workspace`);
      }
    }
  }
}

const count = async (text: string, ...params: unknown[]) =>
  ((await database.rows(text, ...params))[0]?.[0] ?? 0) as number;

// Actions: an agent of an account starts each at most once, however many of its sessions ask.
interface Action {
  id: string;
  key: string;
  profileUrl: string;
}

async function newActions(round: number): Promise<Action[]> {
  const profileUrl = `https://socialnet.example/in/sender${round}`;
  const account = await operate("create_socialnet_account", {
    label: `Ada ${round}`,
    profile_url: profileUrl,
    automation_mode: "approve_each",
    windows: [],
  });
  const { key } = await keyFor(`agent-${round}`, ["socialnet.read", "socialnet.execute", "socialnet.sync"], {
    socialnet_account_id: account.id,
  });
  const actions: Action[] = [];
  for (let i = 0; i < ACTIONS; i++) {
    const id = newId(Date.now());
    const fields = {
      ...{ email: `action-${round}-${i}@x.example`, first_name: "Ada", company: "Engines" },
      socialnet_url: `https://socialnet.example/in/p${round}-${i}`,
    };
    await core.store.write(workspaceId, async ({ contacts }) => {
      await contacts.insert({ id, fields, source: "import", now: Date.now() });
    });
    const action = await operate("plan_socialnet_action", {
      ...{ account_id: account.id, contact_id: id, kind: "message", copy: `Hello ${round} ${i}.` },
    });
    await operate("approve_socialnet_action", { action_id: action.id });
    actions.push({ id: action.id, key, profileUrl });
  }
  return actions;
}

const command = (server: ServerProcess, key: string, body: object) =>
  call(server, "POST", "/socialnet/actions", { key, body });

/** The starts that were answered, by action. */
const started = new Map<string, string[]>();

/** Claims and starts the actions, several at once, until each is started or its gateway is gone. */
async function startActions(gateways: readonly ServerProcess[], actions: readonly Action[]): Promise<void> {
  const [first] = actions;
  if (first === undefined) return;
  const ready = { command: "heartbeat", session: "ready", profileUrl: first.profileUrl };
  for (const gateway of gateways) await command(gateway, first.key, ready).catch(() => undefined);
  const racers = Array.from({ length: RACERS }, (_, i) => at(gateways, i));
  await Promise.all(
    racers.map(async (gateway) => {
      for (const { id, key } of actions) {
        try {
          const claim = await command(gateway, key, { command: "claim", actionId: id });
          if (claim.status !== 200) continue;
          const { leaseToken } = claim.body.data;
          const start = await command(gateway, key, { command: "start", actionId: id, leaseToken });
          if (start.status === 200) started.set(id, [...(started.get(id) ?? []), leaseToken]);
        } catch {
          if (isKilled(gateway)) return;
        }
      }
    }),
  );
}

function importFile(round: number): string {
  const file = join(folder, `import-${round}.csv`);
  const rows = Array.from({ length: IMPORTED }, (_, i) => `import-${round}-${i}@x.example,Ada,Engines`);
  writeFileSync(file, `Email,First Name,Company\n${rows.join("\n")}\n`);
  return file;
}

function startImport(file: string): ChildProcess {
  const args = [
    ...programArgs("bin/rostrum.ts"),
    "import",
    file,
    "--data",
    folder,
    "--workspace",
    workspaceId,
    "--json",
  ];
  return spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...database.env } });
}

async function finishImport(file: string, round: number, imported: number): Promise<void> {
  const { status, stderr } = await spawnRostrum(
    ["import", file, "--data", folder, "--workspace", workspaceId, "--json"],
    { env },
  );
  if (status !== 0) lost.push(`import ${round}: ended with ${status}: ${stderr}`);
  const there = await count("SELECT count(*) FROM contacts WHERE email LIKE ?", `import-${round}-%`);
  if (there < Math.max(imported, IMPORTED)) lost.push(`import ${round}: ${there} of ${IMPORTED} rows`);
  if (there > IMPORTED) twice.push(`import ${round}: ${there} contacts of ${IMPORTED} rows`);
}

const messageIds = () => taken.map((one) => headerOf(one, "message-id"));

/** Settles each unconfirmed message as the mail server knows it: it must not be sent twice or lost. */
async function settleUnknown(): Promise<number> {
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

/** Waits until so many emails in all were sent. Returns how many had to be settled. */
async function finishEmails(all: number): Promise<number> {
  let settled = 0;
  try {
    await until(async () => {
      settled += await settleUnknown();
      return (await count("SELECT count(*) FROM sends WHERE status = 'sent'")) >= all;
    }, DEADLINE_MS);
  } catch (error) {
    const sent = await count("SELECT count(*) FROM sends WHERE status = 'sent'");
    lost.push(`${all - sent} emails did not come to their end: ${(error as Error).message}`);
  }
  return settled;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const repeatedWebhooks = () => sum([...received.values()].map((times) => times.length)) - received.size;

/** Webhooks that arrived after their receipt was recorded. */
async function verifyWebhooks(): Promise<void> {
  const recorded = await database.rows(
    `SELECT d.event_id, a.at FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq
     WHERE d.kind = 'event' AND a.outcome = '2xx'`,
  );
  const ids = new Set(recorded.map(([id]) => id));
  if (ids.size < recorded.length) twice.push(`${recorded.length - ids.size} webhooks have two receipts`);
  for (const [id, at] of recorded) {
    const since = (received.get(id as string) ?? []).filter((time) => time >= (at as number)).length;
    if (since !== 1) twice.push(`webhook ${id} arrived ${since} times since the attempt that was received`);
  }
}

let gateways: ServerProcess[] = [];
async function startGateways(): Promise<void> {
  gateways = gateways.filter((one) => !isKilled(one));
  const missing = Array.from({ length: GATEWAYS - gateways.length }, () => serve(hooks, ["--data", folder], { env }));
  gateways.push(...(await Promise.all(missing)));
}

type Kill = "one gateway" | "all gateways" | "the database";
const KILLS: readonly Kill[] =
  database.kill === undefined ? ["all gateways"] : ["one gateway", "all gateways", "the database"];

async function killNow(kill: Kill): Promise<void> {
  if (kill === "the database") return database.kill?.();
  const killed = kill === "all gateways" ? gateways : [at(gateways, Math.floor(Math.random() * gateways.length))];
  for (const { child } of killed) child.kill("SIGKILL");
  await Promise.all(killed.map(({ ended }) => ended));
}

interface Done {
  writes: Write[];
  keys: Awaited<ReturnType<typeof newKeys>>;
  actions: Action[];
  file: string;
  imported: number;
  round: number;
}

/** Has everything come to its end that a round left unfinished, and looks at it. */
async function verify({ writes, keys, actions, file, imported, round }: Done): Promise<void> {
  await verifyWrites(gateways, writes);
  await verifyTenancy(gateways, keys);
  // What was started is started by nobody again; the rest may be.
  await startActions(gateways, actions);
  unconfirmed.push(await finishEmails(round * MESSAGES));
  repeated.push(repeatedWebhooks() - sum(repeated));
  await finishImport(file, round, imported);
}

let before: Done | undefined;
for (let round = 1; round <= ROUNDS; round++) {
  const file = importFile(round);
  await startGateways();
  if (before !== undefined) await verify(before);
  const [keys, actions] = [await newKeys(round), await newActions(round)];
  await enrollMany(round);
  isOver = false;
  const feeding = feedEvents();
  const importing = startImport(file);
  const leave = taken.length + Math.random() * MESSAGES * 0.6;
  const kind = KILLS[Math.floor(Math.random() * KILLS.length)] as Kill;
  let killing: Promise<void> | undefined;
  const kill = async () => {
    await until(() => taken.length >= leave, EMAILS_WITHIN_MS).catch(() => undefined);
    const acting = startActions(gateways, actions);
    await sleep(Math.random() * WITHIN_MS);
    await killNow(kind);
    importing.kill("SIGKILL");
    isOver = true;
    await acting;
  };
  const writes = await writeUntilKilled(gateways, round, keys, () => {
    killing ??= kill();
  });
  // The limits of the keys may be used up before enough was acknowledged.
  killing ??= kill();
  await killing;
  const fed = await feeding;
  if (importing.exitCode === null && importing.signalCode === null) await once(importing, "close");
  const imported = await count("SELECT count(*) FROM contacts WHERE email LIKE ?", `import-${round}-%`);
  const ofRound = writes.filter(({ id }) => id !== undefined).length + imported + MESSAGES + fed;
  acknowledged += ofRound;
  fewest = Math.min(fewest, ofRound);
  before = { writes, keys, actions, file, imported, round };
  process.stderr.write(
    `round ${round}, ${kind} killed: ${ofRound} acknowledged; after the kill before, ${unconfirmed.at(-1) ?? 0} emails ` +
      `settled and ${repeated.at(-1) ?? 0} webhooks repeated; lost ${lost.length}, twice ${twice.length}, mixed ${mixed.length}
`,
  );
}

// A final run in which everything finishes.
await startGateways();
if (before !== undefined) await verify(before);
await until(() => events.every((id) => received.has(id)), DEADLINE_MS).catch(() => undefined);
await Promise.all(gateways.map((gateway) => gateway.stop("SIGTERM")));

const times = new Map<string | undefined, number>();
for (const id of messageIds()) times.set(id, (times.get(id) ?? 0) + 1);
for (const [id, many] of times) if (many > 1) twice.push(`email ${id} arrived ${many} times`);
for (const [id] of await database.rows("SELECT message_id FROM sends WHERE status = 'sent'")) {
  if (!times.has(id as string)) lost.push(`email ${id} counts as sent and never arrived`);
}
for (const id of events) if (!received.has(id)) lost.push(`webhook ${id} never arrived`);
await verifyWebhooks();
for (const [id, leases] of started)
  if (leases.length > 1) twice.push(`action ${id} was started ${leases.length} times`);
for (const name of ["rest", "other"]) {
  const contacts = await count("SELECT count(*) FROM contacts WHERE email LIKE ?", `${name}-%`);
  const distinct = await count("SELECT count(DISTINCT email) FROM contacts WHERE email LIKE ?", `${name}-%`);
  if (contacts > distinct) twice.push(`${contacts - distinct} contacts`);
}
const posts = await count("SELECT count(*) FROM social_posts");
const bodies = await count("SELECT count(DISTINCT body) FROM social_posts");
if (posts > bodies) twice.push(`${posts - bodies} posts`);

const figures = {
  engine: values.engine,
  gateways: GATEWAYS,
  kills: ROUNDS,
  acknowledged,
  acknowledged_per_round_min: fewest,
  lost: lost.length,
  done_twice: twice.length,
  rows_of_another_workspace: mixed.length,
  emails: taken.length,
  unknown_emails_per_kill_max: Math.max(...unconfirmed),
  unknown_emails: sum(unconfirmed),
  webhooks: events.length,
  repeated_webhooks_per_kill_max: Math.max(...repeated),
  repeated_webhooks: repeatedWebhooks(),
  actions_started: started.size,
};
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
for (const close of closing.reverse()) await close();
process.exitCode = lost.length + twice.length + mixed.length === 0 ? 0 : 1;
