import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import pg from "pg";
import { callAsOperator } from "../../src/cli/operator.ts";
import { type Core, openCore } from "../../src/composition/core.ts";
import type { Config } from "../../src/config.ts";
import { eventBody } from "../../src/events/protocol.ts";
import { newWebhookSecret } from "../../src/events/sign.ts";
import { subscriptionId } from "../../src/events/subscription.ts";
import { databaseFile, dataKeyFile } from "../../src/lib/data-folder.ts";
import { newId } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/log.ts";
import { openVault, type Vault } from "../../src/lib/vault.ts";
import { usage } from "./serve.ts";

export const EVENT = "socialnet.reconnect.requested";
const DAY_MS = 86_400_000;

export interface Workspace {
  id: string;
  /** One account for each endpoint, each with one subscription to its events. */
  accounts: string[];
}

export const callbackOf = (port: number) => `http://127.0.0.1:${port}/hook`;

async function operate(
  core: Pick<Core, "invoke">,
  name: string,
  workspaceId: string,
  input: object,
): Promise<{ id: string }> {
  const { body, refusal } = await callAsOperator(core, name, workspaceId, input);
  if (refusal !== undefined) throw refusal;
  return JSON.parse(body).data;
}

/** Creates a workspace with an account per port and, optionally, subscriptions to the ports' endpoints. */
export async function found(
  core: Core,
  vault: Vault,
  ports: readonly number[],
  subscribed: boolean,
): Promise<Workspace> {
  const { id } = await operate(core, "create_workspace", "", { name: "bench" });
  const { id: keyId } = await operate(core, "create_key", id, { name: "bench", scopes: ["socialnet.read"] });
  const accounts: string[] = [];
  for (const port of ports) {
    const input = { label: `account ${port}`, profile_url: `https://socialnet.example/in/${port}` };
    const account = await operate(core, "create_socialnet_account", id, input);
    accounts.push(account.id);
    if (!subscribed) continue;
    const url = callbackOf(port);
    const given = { account_id: account.id };
    const now = Date.now();
    const subscription = subscriptionId({ principal: keyId, url, event: EVENT, arguments: given });
    await core.store.write(id, ({ subscriptions }) =>
      subscriptions.upsert({
        id: subscription,
        principal: { keyId },
        url,
        event: EVENT,
        arguments: given,
        accountId: account.id,
        now,
        secret: vault.seal(newWebhookSecret(), subscription),
        previousSecretUntil: null,
        verifiedAt: now,
        expiresAt: now + DAY_MS,
      }),
    );
  }
  return { id, accounts };
}

export interface Filled {
  workspace: Workspace;
  /** Makes this many due immediately, or all remaining ones. */
  go(count?: number): Promise<void>;
  /** Whether everything made due is finished. */
  settled(): Promise<boolean>;
  close(): Promise<void>;
}

/** Statements beside the server's own, with `?` for each value. */
interface Statements {
  run(text: string, ...values: unknown[]): Promise<void>;
  isAny(text: string, ...values: unknown[]): Promise<boolean>;
  close(): Promise<void>;
}

function onSqlite(data: string): Statements {
  const db = new Database(databaseFile(data), { timeout: 5_000 });
  return {
    run: async (text, ...values) => void db.prepare(text).run(values),
    isAny: async (text, ...values) => db.prepare(text).get(values) !== undefined,
    close: async () => void db.close(),
  };
}

async function onPostgres(url: string): Promise<Statements> {
  const client = new pg.Client(url);
  await client.connect();
  const numbered = (text: string) => {
    let count = 0;
    return text.replaceAll("?", () => `$${++count}`);
  };
  return {
    run: async (text, ...values) => void (await client.query(numbered(text), values)),
    isAny: async (text, ...values) => (await client.query(numbered(text), values)).rows.length > 0,
    close: () => client.end(),
  };
}

/** A database whose outbox has this many events, spread over the endpoints and not yet due. */
export async function fill(config: Config, ports: readonly number[], count: number): Promise<Filled> {
  const { data, databaseUrl } = config;
  const core = await openCore(config, createLog("silent"));
  const vault = openVault(dataKeyFile(data), config.dataKey);
  const workspace = await found(core, vault, ports, true);
  const { accounts } = workspace;
  await core.close();

  const db = databaseUrl === undefined ? onSqlite(data) : await onPostgres(databaseUrl);
  const insert = `INSERT INTO deliveries (id, workspace_id, subscription_seq, url, host, kind, event_id, event, body, status,
       next_attempt_at, created_at)
     SELECT ?, workspace_id, seq, url, ?, 'event', ?, event, ?, 'pending', CAST(? AS bigint), CAST(? AS bigint)
     FROM subscriptions WHERE url = ?`;
  const now = Date.now();
  await db.run("BEGIN");
  for (let i = 0; i < count; i++) {
    const port = ports[i % ports.length] as number;
    const eventId = `evt_${newId(now).replaceAll("-", "")}`;
    const account_id = accounts[i % ports.length];
    const payload = { account_id, account_label: `account ${port}`, request_id: randomUUID() };
    const body = eventBody({ id: eventId, name: EVENT, at: now, data: payload });
    await db.run(insert, newId(now), `127.0.0.1:${port}`, eventId, body, now + DAY_MS, now, callbackOf(port));
  }
  await db.run("COMMIT");
  const due = `UPDATE deliveries SET next_attempt_at = ? WHERE seq IN (
     SELECT seq FROM deliveries WHERE status = 'pending' ORDER BY seq LIMIT ?)`;
  const pending = "SELECT 1 FROM deliveries WHERE status = 'pending' AND next_attempt_at < ? LIMIT 1";
  return {
    workspace,
    go: (most = count) => db.run(due, Date.now(), most),
    settled: async () => !(await db.isAny(pending, now + DAY_MS)),
    close: () => db.close(),
  };
}

/**
 * The questions to both servers while the outbox empties.
 *
 * @param warmUp how many events are sent before the measured ones
 */
export function answersOf({ go, settled }: Awaited<ReturnType<typeof fill>>, warmUp: number) {
  return {
    async warm() {
      await go(warmUp);
      return undefined;
    },
    async go() {
      await go();
      return usage();
    },
    async settled() {
      while (!(await settled())) await sleep(5);
      return usage();
    },
  };
}
