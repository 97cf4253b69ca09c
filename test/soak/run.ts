/**
 * Keeps a server busy at a steady rate over REST, MCP, console pages, webhooks and email, and looks at what it holds:
 * `npm run soak -- --minutes 60`. Exits with 1 where a request fails, or where the server holds more at the end than it
 * did once it was warm.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Agent, fetch, type RequestInit } from "undici";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import { createLog } from "../../src/lib/log.ts";
import { serve } from "../cli/process.ts";
import { smtpServer } from "../mail/smtp.ts";
import { PASSWORD } from "../support/http-browser.ts";
import { META } from "../support/mcp.ts";
import { nodeEnv, nodeFlags } from "../support/program.ts";
import { Random } from "../support/random.ts";
import { Receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/server.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, rate: { type: "string", default: "300" } },
});
const MINUTES = Number(values.minutes);
const RATE = Math.ceil(Number(values.rate));
if (!(MINUTES >= 5)) throw new Error("--minutes is a number from 5.");
if (!(RATE >= 1)) throw new Error("--rate is a number of requests a second, from 1.");

const MINUTE_MS = 60_000;
const SAMPLE_MS = 5_000;
const TICK_MS = 10;
/** A key can write 60 times a minute, and call MCP 120 times: one key per request a second is enough. */
const KEYS = RATE;
/** A fixed number, so that descriptors count what the server opens. */
const CONNECTIONS = 32;
/** Limit of unanswered requests: above it, the rate can't be kept. */
const MAX_UNDERWAY = 200;
const MAILINGS_EVERY_MS = 20_000;
const MAILED_AT_ONCE = 20;
const RECONNECT_EVERY_MS = 500;
/** A member can have four; a closed one may still count for a moment. */
const LISTENERS = 3;
const LISTEN_MS = 30_000;

/**
 * What the server may hold at the end beyond what it held in minutes 3 to 5, when caches and pools are full.
 *
 * - Memory: 32 MiB. The heap of an idle second and of a busy one differ by as much as 20 MiB, since V8 collects when it
 *   likes, and the two page caches of SQLite may grow by 8 MB each until they are full. At 300 requests a second, an
 *   hour's leak of 32 bytes for each request is more.
 * - Descriptors: 12. Pools of mail and webhook connections open and close that many.
 * - WAL: 16 MiB, a checkpoint's worth (4,000 pages of 4 KiB). It is emptied from the start once a checkpoint is through.
 */
const TOLERANCES = { resident: 32 * 2 ** 20, descriptors: 12, wal: 16 * 2 ** 20 };

interface Sample {
  minute: number;
  resident: number;
  heap: number;
  descriptors: number;
  wal: number;
}

const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.unshift(close) } as never;
const folder = temporaryFolder(hooks);
const random = new Random(Date.now());
const { server: smtp, taken } = await smtpServer(hooks);
const receiver = await Receiver.start(hooks);

const keys: string[] = [];
const core = await openCore(readConfig({ data: folder }, {}), createLog("silent"));
const { id: workspaceId } = JSON.parse(
  (await callAsOperator(core, "create_workspace", "", { name: "soak" })).body,
).data;
for (let i = 0; i < KEYS; i++) {
  const made = await callAsOperator(core, "create_key", workspaceId, { name: `soak ${i}`, scopes: ALL_SCOPES });
  keys.push(JSON.parse(made.body).data.key);
}
await core.close();

const METRICS_TOKEN = "the token of a soak test";
const server = await serve(hooks, ["--data", folder], {
  flags: nodeFlags(),
  env: {
    ...nodeEnv(),
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: "Robin <sales@acme.example>",
    ROSTRUM_OUTBOUND_GATE: "open",
    ROSTRUM_SOCIALNET_EXECUTION: "on",
    ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1",
    ROSTRUM_LOG_LEVEL: "error",
    ROSTRUM_METRICS_TOKEN: METRICS_TOKEN,
  },
});
const { url, base_url: base, setup_url: setupUrl } = server.ready;
const console_ = `${url}/console/w/${workspaceId}`;
const entered = await fetch(setupUrl ?? "", {
  method: "POST",
  redirect: "manual",
  body: new URLSearchParams({ name: "Olive", email: "olive@acme.example", password: PASSWORD }),
  headers: { origin: url },
});
const cookie = entered.headers
  .getSetCookie()
  .map((set) => set.split(";")[0])
  .join("; ");

// An interrupted run leaves no server behind.
process.on("exit", () => server.child.kill("SIGKILL"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const dispatcher = new Agent({ connections: CONNECTIONS });

/** Each failure, and how often it occurred. */
const failures = new Map<string, number>();
let answered = 0;
/** Refused with 503 overloaded, as a server must if others take the machine's time. */
let refused = 0;

function fail(failure: string): void {
  const times = (failures.get(failure) ?? 0) + 1;
  failures.set(failure, times);
  if (times === 1) process.stderr.write(`FAILED ${failure}\n`);
}

async function ask(what: string, path: string, init: RequestInit & { headers: Record<string, string> }): Promise<any> {
  const outcome = await fetch(path, { redirect: "manual", dispatcher, ...init }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: Error) => ({ status: 0, text: String(error.cause ?? error) }),
  );
  answered += 1;
  if (outcome.status === 503 && /"overloaded"|The server is busy/.test(outcome.text)) {
    refused += 1;
    return undefined;
  }
  const isRefused = outcome.status < 200 || outcome.status >= 300 || /"isError":true/.test(outcome.text);
  if (isRefused) {
    fail(`${what}: ${outcome.status} ${outcome.text.slice(0, 200)}`);
    return undefined;
  }
  return outcome.text.startsWith("{") ? JSON.parse(outcome.text) : undefined;
}

let turn = 0;
const nextKey = () => keys[turn++ % keys.length] as string;
const rest = (method: string, path: string, body?: object) =>
  ask(`${method} ${path.replace(/[0-9a-f-]{36}|\?.*/g, "…")}`, base + path, {
    method,
    headers: { authorization: `Bearer ${nextKey()}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const mcp = (isModern: boolean, name: string, args: object) =>
  ask(`tools/call ${name}`, `${base}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${nextKey()}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": isModern ? "2026-07-28" : "2025-11-25",
      ...(isModern ? { "mcp-method": "tools/call", "mcp-name": name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: turn,
      method: "tools/call",
      params: { ...(isModern ? { _meta: META } : {}), name, arguments: args },
    }),
  });
const page = (path: string) =>
  ask(`page ${path.replace(/[0-9a-f-]{36}/g, "…")}`, console_ + path, { headers: { cookie } });
const member = async (operation: string, input: object) =>
  (
    await ask(operation, `${url}/console/api/${operation}`, {
      method: "POST",
      headers: { cookie, origin: url, "content-type": "application/json" },
      body: JSON.stringify(input),
    })
  )?.data;

/** The newest contacts, which requests use, and those emailed next, which nothing changes. */
const known: string[] = [];
let toMail: string[] = [];
let made = 0;

async function create(): Promise<void> {
  made += 1;
  const body = { email: `p${made}@x.example`, first_name: "Ada", company: "Engines", tags: ["soak"] };
  const contact = (await rest("POST", "/contacts", body))?.data;
  if (contact === undefined) return;
  if (toMail.length < MAILED_AT_ONCE) toMail.push(contact.id);
  else known.push(contact.id);
  if (known.length > 1_000) known.shift();
}

const someone = () => random.pick(known) as string;
const PAGES = [
  "",
  "/contacts",
  "/deals",
  "/sequences",
  "/review",
  "/checklist",
  "/agents",
  "/events",
  "/audit",
  "/settings",
];
const WEIGHTS = {
  list: 15,
  get: 25,
  query: 10,
  sequences: 5,
  create: 8,
  update: 5,
  tag: 2,
  log: 4,
  modern: 8,
  older: 8,
  page: 10,
};
const DO: Record<keyof typeof WEIGHTS, () => Promise<unknown>> = {
  list: () => rest("GET", "/contacts?limit=25"),
  get: () => rest("GET", `/contacts/${someone()}`),
  query: () => rest("POST", "/contacts/query", { limit: 10 }),
  sequences: () => rest("GET", "/sequences"),
  create,
  update: () => rest("PATCH", `/contacts/${someone()}`, { job_title: `Engineer ${turn}` }),
  tag: () => rest("POST", `/contacts/${someone()}/tags`, { tags: [`t${turn % 20}`] }),
  log: () => rest("POST", `/contacts/${someone()}/activities`, { type: "call_made", subject: `Called, ${turn}.` }),
  modern: () => mcp(true, "brain_contact", { id: someone() }),
  older: () => mcp(false, "list_contacts", { limit: 10 }),
  page: () => page(random.chance(0.2) ? `/contacts/${someone()}` : (random.pick(PAGES) as string)),
};

const STEPS = [{ type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 }];
const sequence = await member("create_sequence", { name: "soak", steps: STEPS });
await member("set_sequence_status", { sequence_id: sequence.id, status: "active" });
const account = await member("create_socialnet_account", {
  label: "Ada",
  profile_url: "https://socialnet.example/in/ada",
});
await member("create_webhook", { url: receiver.url, events: ["socialnet.reconnect.requested"] });
while (known.length < 10) await create();

async function mail(): Promise<void> {
  const contacts = toMail;
  toMail = [];
  const approval = await member("approve_sequence", { sequence_id: sequence.id, contact_ids: contacts });
  if (approval === undefined) return;
  if ((await member("apply_sequence_approval", { approval_id: approval.id })) === undefined) return;
  await member("enroll_audience", { approval_id: approval.id });
}

/** An open console page, which is reopened now and then. */
async function listen(): Promise<void> {
  const signal = AbortSignal.timeout(random.between(LISTEN_MS / 2, LISTEN_MS));
  try {
    const response = await fetch(`${console_}/live`, { headers: { cookie }, signal });
    if (response.status === 503) refused += 1;
    else if (response.status !== 200) fail(`live: ${response.status}`);
    for await (const _ of response.body ?? []);
  } catch (error) {
    if (!signal.aborted) fail(`live: ${error}`);
  }
}

async function sample(began: number): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();
  const of = (name: string) => Number(new RegExp(`^rostrum_${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    minute: (performance.now() - began) / MINUTE_MS,
    resident: of("process_resident_memory_bytes"),
    heap: of("nodejs_heap_size_used_bytes"),
    descriptors: of("process_open_fds"),
    wal: of("database_wal_bytes"),
  };
}

const mib = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10;
const samples: Sample[] = [];
const began = performance.now();
const until = began + MINUTES * MINUTE_MS;
const goesOn = () => performance.now() < until && server.child.exitCode === null && server.child.signalCode === null;

/** Repeats until the end. */
async function every(ms: number, act: () => Promise<unknown>): Promise<void> {
  while (goesOn()) {
    const next = performance.now() + ms;
    await act();
    await sleep(Math.max(0, Math.min(next, until) - performance.now()));
  }
}

let underway = 0;
let sent = 0;
let unsent = 0;
const asking = every(TICK_MS, async () => {
  const due = Math.floor(((performance.now() - began) / 1_000) * RATE);
  for (; sent + unsent < due; ) {
    if (underway >= MAX_UNDERWAY) {
      unsent += 1;
      continue;
    }
    sent += 1;
    underway += 1;
    void DO[random.weighted(WEIGHTS)]().finally(() => {
      underway -= 1;
    });
  }
});
await Promise.all([
  asking,
  every(MAILINGS_EVERY_MS, mail),
  every(RECONNECT_EVERY_MS, () => member("request_reconnect", { account_id: account.id })),
  ...Array.from({ length: LISTENERS }, () => every(0, listen)),
  every(SAMPLE_MS, async () => {
    const now = await sample(began);
    samples.push(now);
    const { minute, resident, heap, descriptors, wal } = now;
    process.stderr.write(
      `minute ${minute.toFixed(1)}: ${mib(resident)} MiB resident, ${mib(heap)} MiB heap, ${descriptors} descriptors, ` +
        `${mib(wal)} MiB WAL; ${answered} answers, ${refused} refused, ${taken.length} emails, ${receiver.deliveries.length} webhooks, ` +
        `${failures.size} failures\n`,
    );
  }),
]);

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
/** The last five minutes; in a short run, everything after the warm-up. */
const lastFrom = Math.max(MINUTES - 5, 4);
const warm = samples.filter(({ minute }) => minute >= 3 && minute < Math.min(5, lastFrom));
const last = samples.filter(({ minute }) => minute >= lastFrom);
const held = (Object.keys(TOLERANCES) as (keyof typeof TOLERANCES)[]).map((what) => {
  const [before, after] = [warm, last].map((some) => median(some.map((one) => one[what]))) as [number, number];
  return { what, warm: before, last: after, tolerance: TOLERANCES[what], kept: after <= before + TOLERANCES[what] };
});
const stopped = server.child.exitCode === null ? await server.stop("SIGTERM") : undefined;
if (stopped?.status !== 0) fail(`the server ended: ${server.output().stderr.slice(-2_000)}`);
if (taken.length === 0) fail("no email arrived");
if (receiver.deliveries.length === 0) fail("no webhook was delivered");
const figures = {
  ...{ minutes: MINUTES, rate: RATE, sent, unsent, answered, refused, emails: taken.length },
  ...{ webhooks: receiver.deliveries.length, failures: Object.fromEntries(failures), held },
};
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
for (const close of closing) await close();
process.exit(failures.size === 0 && held.every(({ kept }) => kept) ? 0 : 1);
