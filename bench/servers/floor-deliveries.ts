import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../../src/config.ts";
import { signedHeaders, signerOf } from "../../src/events/sign.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { openVault } from "../../src/lib/vault.ts";
import { openWriter } from "../../src/store/sqlite/connection.ts";
import { answersOf, fill } from "./outbox.ts";
import { serve } from "./serve.ts";

/**
 * The floor of deliveries: the same outbox, sent as one would at first. So many workers; each signs the next delivery,
 * POSTs it by fetch and commits how that went on its own. No leases, no checks of access or address, no limits per
 * host, no retries: floor-deliveries.js <data folder> <warm-up> <events> <at a time> <ports>
 */

const [, , data = "", warmUp = "", events = "", atATime = "", list = ""] = process.argv;
const count = Number(warmUp) + Number(events);
const filled = await fill(readConfig({ data }, {}), list.split(",").map(Number), count);
const vault = openVault(dataKeyFile(data), undefined);
const db = openWriter(join(data, "rostrum.db"));

interface Due {
  seq: number;
  eventId: string;
  body: string;
  url: string;
  id: string;
  secret: string;
}

const due = db.prepare<[number, number], Due>(
  `SELECT d.seq, d.event_id AS eventId, d.body, d.url, s.id, s.secret
   FROM deliveries d JOIN subscriptions s ON s.seq = d.subscription_seq
   WHERE d.status = 'pending' AND d.next_attempt_at <= ? ORDER BY d.next_attempt_at LIMIT ? + 0`,
);
const attempt = db.prepare(
  "INSERT INTO delivery_attempts (delivery_seq, at, outcome, duration_ms) VALUES (?, ?, '2xx', ?)",
);
const done = db.prepare(
  `UPDATE deliveries SET status = 'delivered', attempts = attempts + 1, next_attempt_at = NULL, finished_at = ?
   WHERE seq = ?`,
);
const tell = db.prepare("UPDATE subscriptions SET last_delivery_at = ?, failed_since = NULL WHERE id = ?");
const record = db.transaction((seq: number, id: string, at: number, ms: number) => {
  attempt.run(seq, at, ms);
  done.run(at, seq);
  tell.run(at, id);
});

async function send({ seq, eventId, body, url, id, secret }: Due): Promise<void> {
  const at = Date.now();
  const headers = signedHeaders({
    subscriptionId: id,
    signers: [signerOf(vault.open(secret, id))],
    id: eventId,
    body,
    at,
  });
  const response = await fetch(url, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
  await response.arrayBuffer();
  record.immediate(seq, id, at, Date.now() - at);
}

let stopped = false;

async function run(): Promise<void> {
  while (!stopped) {
    const batch = due.all(Date.now(), 1_000);
    if (batch.length === 0) await sleep(5);
    const worker = async () => {
      for (let next = batch.pop(); next !== undefined; next = batch.pop()) await send(next);
    };
    await Promise.all(Array.from({ length: Number(atATime) }, worker));
  }
}
const running = run();

serve({
  port: 0,
  close: async () => {
    stopped = true;
    await running;
    filled.close();
    db.close();
  },
  answers: {
    ...answersOf(filled, Number(warmUp)),
  },
});
