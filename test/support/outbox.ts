import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../src/lib/time.ts";
import type { Delivered, Settlement } from "../../src/store/events.ts";
import { expireSubscriptions } from "../../src/workers/housekeeper.ts";
import type { RetentionClock } from "../../src/workers/retention-clock.ts";
import { openBeside } from "./beside.ts";
import { post } from "./mcp.ts";
import type { Received, Receiver } from "./receiver.ts";
import type { TestServer } from "./server.ts";
import { until } from "./until.ts";

export function newSecret(bytes = 32): string {
  return `whsec_${randomBytes(bytes).toString("base64")}`;
}

/**
 * The secret behind each signature of a delivery, in order: verified as Standard Webhooks describes, without its
 * library, and at any time of a fake clock.
 */
export function signersOf({ headers, text }: Received, secrets: Record<string, string>): string[] {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  const made = Object.entries(secrets).map(([name, secret]) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return [`v1,${createHmac("sha256", key).update(signed).digest("base64")}`, name] as const;
  });
  const given = String(headers["webhook-signature"]).split(" ");
  return given.map((signature) => made.find(([own]) => own === signature)?.[1] ?? "nobody");
}

/** Requests a reconnect of the account, the event that tests use. */
export function requestReconnect(server: TestServer, account: { id: string }): Promise<{ id: string }> {
  return server.operator("request_reconnect", { account_id: account.id });
}

/** Retention with a clock that never jumps. */
export function followsClock(clock: Clock): RetentionClock {
  return { now: async () => clock.now(), update: async () => undefined };
}

/** One run of the expiry, now. */
export function expireNow(server: TestServer, clock: Clock = { now: () => Date.now() }): Promise<void> {
  return expireSubscriptions(server.running.store, clock, followsClock(clock), () => undefined).run();
}

/** Reports every settlement of a server as it is recorded. */
export function watchSettlements({ running }: TestServer, visit: (settlement: Settlement) => void): void {
  const { outbox } = running.store;
  for (const name of ["settle", "settleSoon", "record"] as const) {
    const record = outbox[name];
    outbox[name] = (settlements, recorded?: readonly Delivered[]) => {
      for (const settlement of settlements) visit(settlement);
      return record(settlements, recorded);
    };
  }
}

/** The rows in the database. */
export function rowsOf(server: Pick<TestServer, "folder">, sql: string): any[] {
  const db = openBeside(server.folder, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

export function deliveriesOf(server: TestServer, input: object = {}): Promise<any[]> {
  return server.operator("list_deliveries", input);
}

/** Attempts that are recorded, and settled where they succeeded. */
function attemptCount(server: Pick<TestServer, "folder">): number {
  const sql = `SELECT count(*) AS count FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq
    WHERE d.status <> 'pending' OR a.outcome <> '2xx' OR d.lease IS NULL`;
  return rowsOf(server, sql)[0].count;
}

/** Resolves once there are so many. */
export function attempted(server: TestServer, count: number): Promise<void> {
  return until(() => attemptCount(server) >= count);
}

/** Ends the subscription that `subscribe` creates, and returns the whole JSON-RPC message. */
export async function unsubscribe(
  server: TestServer,
  receiver: Pick<Receiver, "url">,
  {
    key,
    era = "2026-07-28" as const,
    ...params
  }: { key?: string; era?: "2025-11-25" | "2026-07-28"; [more: string]: unknown } = {},
) {
  const { body } = await post(
    server,
    era,
    "events/unsubscribe",
    { name: "socialnet.reconnect.requested", delivery: { url: receiver.url }, ...params },
    { headers: { "mcp-name": undefined }, ...(key === undefined ? {} : { key }) },
  );
  return body;
}
