import { setTimeout as sleep } from "node:timers/promises";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import type { Step } from "../../src/domain/outreach/sequence.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { newId } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/log.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { openVault } from "../../src/lib/vault.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { hashCopy, recordMailFrom } from "../../src/services/outreach/approvals.ts";
import { Engine } from "../../src/workers/engine.ts";
import { serve, usage } from "./serve.ts";

/** The engine over a full database: rostrum-engine.js <data folder> <port of the sink> <active> <due> <letters> */

const [, , data = "", sink = "", ...sizes] = process.argv;
const [active, due, letters] = sizes.map(Number) as [number, number, number];

const env = { ROSTRUM_OUTBOUND_GATE: "open" };
const config = readConfig({ data }, env);
const log = createLog("warn");
let ahead = 0;
const clock = { now: () => Date.now() + ahead };
const now = clock.now();
const core = await openCore(config, log, { clock });
const { store, asSystem } = core;
const vault = openVault(dataKeyFile(data), undefined);
const SINK = { host: "127.0.0.1", port: Number(sink), secure: false, local: true, login: undefined };
const mailer = await createMailer({ server: SINK, folder: "" });
const from = { name: "Acme", address: "sales@acme.example" };
const deployment = { outboundGate: "open", socialnetExecution: "off", mail: {}, hasPublicLinks: true } as const;
let emailed = 0;
const transport = { from, mailer, mailServer: "sink", files: mailer, mailbox: SINK };
const engine = new Engine({
  store,
  clock,
  log,
  asSystem,
  vault,
  transport: () => transport,
  instance: "bench",
  deployment,
  url: () => "https://acme.example",
  metrics: { emailed: () => (emailed += 1), mailRefused: () => {}, mailBackoff: () => {} },
});

const HOUR_MS = 3_600_000;
/** Longer than any of them takes: whatever is unsent by then was refused. */
const LETTERS_WITHIN_MS = 120_000;
const AT_A_TIME = 500;
/** Asking costs CPU, too. */
const ASK_EVERY_MS = 10;
const BODY = "Hello {{first_name}},\n\nhow is {{company}}? We wrote: https://acme.example/engines\n\n".repeat(10);

const operate = async (name: string, input: object, workspace = "") =>
  JSON.parse((await callAsOperator(core, name, workspace, input)).body).data;
const { id: workspaceId } = await operate("create_workspace", { name: "bench" });
// Approvals pin the sender.
await recordMailFrom(store, asSystem, senderText(from), now);
await store.recordHasMailServer(true, now);

/** A sequence with its own active contacts. */
async function fill(steps: Step[], count: number, dueAt: (index: number) => number): Promise<void> {
  const { id: sequenceId, steps_hash: stepsHash } = await operate("create_sequence", { name: "b", steps }, workspaceId);
  await operate("set_sequence_status", { sequence_id: sequenceId, status: "active" }, workspaceId);
  for (let first = 0; first < count; first += AT_A_TIME) {
    await store.write(workspaceId, async ({ contacts, approvals, enrollments }) => {
      const audience = new Map<string, string>();
      const ids: string[] = [];
      for (let index = first; index < Math.min(count, first + AT_A_TIME); index++) {
        const id = newId(now);
        const fields = { email: `p-${id}@lovelace.example`, first_name: "Ada", company: "Analytical Engines" };
        const { contact } = await contacts.insert({ id, fields, source: "import", now });
        audience.set(id, hashCopy(contact, steps));
        ids.push(id);
      }
      const approvalId = newId(now);
      await approvals.insert({ id: approvalId, sequenceId, stepsHash, approvedBy: "bench", now, audience });
      await approvals.apply(approvalId, "bench", now);
      for (const [offset, contactId] of ids.entries()) {
        await enrollments.insert({
          id: newId(now),
          sequenceId,
          contactId,
          approvalId,
          status: "active",
          currentStep: 0,
          heldReason: null,
          heldDetail: null,
          postponedReason: null,
          endedAt: null,
          endedReason: null,
          dueAt: dueAt(first + offset),
          enrolledAt: now,
        });
      }
    });
  }
}

const wait: Step = { type: "wait", days: 1 };
const mail: Step = { type: "email", subject: "Hello {{first_name}}", body: BODY, delay_days: 0 };
await fill([wait, wait, wait], active - 2 * letters, (index) => now + (index < due ? HOUR_MS : 300 * 24 * HOUR_MS));
for (const hours of [2, 3]) await fill([mail, wait], letters, () => now + hours * HOUR_MS);

async function lookMs(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 101; look++) {
    const began = performance.now();
    await engine.run();
    looks.push(performance.now() - began);
  }
  return looks.sort((a, b) => a - b)[50] as number;
}

/** Sends what is due in an hour, until so many emails have been sent. */
async function sendDue(count: number): Promise<void> {
  ahead += HOUR_MS;
  const began = performance.now();
  await engine.run();
  const { sends } = store.read(workspaceId);
  const sent = async () => (await sends.list({ status: "sent" }, { limit: 1, offset: 0 })).total;
  // The database is asked only for the outcomes that are still being recorded.
  while (emailed < count || (await sent()) < count) {
    if (performance.now() - began > LETTERS_WITHIN_MS) throw new Error(`${await sent()} of ${count} were sent.`);
    await sleep(ASK_EVERY_MS);
  }
}

serve({
  port: 0,
  close: async () => {
    await engine.stop();
    await core.close();
  },
  answers: {
    async steps() {
      const idleMs = await lookMs();
      ahead += HOUR_MS;
      const { resident: before } = usage();
      const began = performance.now();
      await engine.run();
      const seconds = (performance.now() - began) / 1_000;
      return { perSecond: due / seconds, before, after: usage().resident, idleMs };
    },
    async letters() {
      // The first ones warm it up.
      await sendDue(letters);
      const { cpu } = usage();
      const began = performance.now();
      await sendDue(2 * letters);
      const seconds = (performance.now() - began) / 1_000;
      return { perSecond: letters / seconds, cpuMicros: (usage().cpu - cpu) / letters };
    },
  },
});
