import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Cluster, startCluster } from "../scripts/postgres-cluster.ts";
import { moveToPostgres } from "../src/cli/database-move.ts";
import { dataAsOperator } from "../src/cli/operator.ts";
import { openCore } from "../src/composition/core.ts";
import { readConfig } from "../src/config.ts";
import { databaseFile, dataKeyFile } from "../src/lib/data-folder.ts";
import { createLog } from "../src/lib/log.ts";
import { RESULTS } from "./build.ts";
import { figure, median } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import type { Seed } from "./seed.ts";

/** How many times as many contacts the larger database has, and how many times as long a read of it may take. */
const TIMES = 10;
const MAX_TIMES_SLOWER = 3;
const SAMPLES = 200;
const WARM_UP = 50;

interface Sample {
  id: string;
  company: string;
  first_name: string;
  last_name: string;
}

/** What is read, with its input for one contact. */
const READS: Readonly<Record<string, [operation: string, input: (of: Sample) => object]>> = {
  "Get one contact": ["get_contact", ({ id }) => ({ id })],
  "List 25, exact total": ["list_contacts", () => ({ limit: 25 })],
  "Page at offset 100,000": ["list_contacts", () => ({ limit: 25, offset: 100_000 })],
  "Query by company, exact total": ["query_contacts", ({ company }) => ({ filter: { company } })],
  "Find by two words": ["find_records", (of) => ({ text: `${of.company.split(" ")[0]} ${of.last_name.slice(0, 3)}` })],
  "Search by name": ["search_contacts", (of) => ({ text: `${of.first_name} ${of.last_name.slice(0, 3)}` })],
};

export interface LargeFigures {
  contacts: number;
  /** Median milliseconds of each read, of the database and of the larger one. */
  reads: Record<string, [small: number, large: number]>;
}

/** How long reads take on PostgreSQL, and with ten times as many contacts. */
export async function measureLarge(seed: Seed, say: (text: string) => void): Promise<LargeFigures> {
  const cluster = await startCluster({ shared_buffers: "2GB", max_wal_size: "32GB", maintenance_work_mem: "1GB" });
  try {
    await moveToPostgres(databaseFile(seed.folder), cluster.url("postgres"), ({ table, done, rows }) => {
      if (done === 0 && rows > 0) say(`Copying ${table}, ${rows} rows …`);
    });
    const folder = join(RESULTS, "work", "large");
    mkdirSync(folder, { recursive: true });
    copyFileSync(dataKeyFile(seed.folder), dataKeyFile(folder));
    const small = await timeReads(cluster, folder);
    say(`Adding ${figure(seed.contacts * (TIMES - 1))} contacts …`);
    await multiply(cluster);
    const large = await timeReads(cluster, folder);
    const reads = Object.keys(READS).map((name) => [name, [small[name], large[name]]]);
    return { contacts: seed.contacts, reads: Object.fromEntries(reads) };
  } finally {
    await cluster.stop();
  }
}

async function timeReads(cluster: Cluster, data: string): Promise<Record<string, number>> {
  const client = await connect(cluster);
  await client.query("VACUUM ANALYZE");
  const { rows } = await client.query<Sample & { workspace_id: string }>(
    `SELECT id, company, first_name, last_name, workspace_id FROM contacts TABLESAMPLE SYSTEM (1)
     WHERE archived_at IS NULL AND company IS NOT NULL AND first_name IS NOT NULL AND length(last_name) > 3
     ORDER BY random() LIMIT ${SAMPLES + WARM_UP}`,
  );
  await client.end();
  const core = await openCore(
    readConfig({ data }, { ROSTRUM_DATABASE_URL: cluster.url("postgres") }),
    createLog("warn"),
  );
  const taken: Record<string, number> = {};
  for (const [name, [operation, input]] of Object.entries(READS)) {
    const times: number[] = [];
    for (const of of rows) {
      const from = performance.now();
      const { refusal } = await dataAsOperator(core, operation, of.workspace_id, input(of));
      times.push(performance.now() - from);
      if (refusal !== undefined) throw refusal;
    }
    taken[name] = median(times.slice(WARM_UP));
  }
  await core.close();
  return taken;
}

/** Copies every contact nine times, each with its own id, addresses, names of companies and place in the order. */
async function multiply(cluster: Cluster): Promise<void> {
  const client = await connect(cluster);
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = 'contacts' AND indexdef NOT LIKE 'CREATE UNIQUE %'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  // The triggers would count row by row. The blocks of 1,024 rows are shifted by whole blocks instead.
  await client.query("SET session_replication_role = replica");
  const shift = "(SELECT ((max(seq) >> 10) + 1) AS blocks FROM contacts)";
  const copies = `generate_series(1, ${TIMES - 1}) AS copy, ${shift} AS shift`;
  // The digit of the version is 7 in every id.
  const idOf = (id: string) => `overlay(${id} placing substr('012345689', copy, 1) from 15)`;
  const own = (column: string) => `copy || '.' || ${column}`;
  const { fields } = await client.query("SELECT * FROM contacts LIMIT 0");
  const changed: Record<string, string> = {
    seq: "seq + copy * (blocks << 10)",
    id: idOf("id"),
    email: own("email"),
    email_key: own("email_key"),
    company: "company || ' ' || copy",
    last_name: "last_name || ' ' || copy",
    socialnet_url: "socialnet_url || '-' || copy",
    socialnet_key: "socialnet_key || '-' || copy",
  };
  const columns = fields.map(({ name }) => name);
  const values = columns.map((name) => changed[name] ?? name);
  await client.query(
    `INSERT INTO contact_blocks SELECT workspace_id, block + copy * blocks, live FROM contact_blocks, ${copies}`,
  );
  await client.query(
    `INSERT INTO contact_tags SELECT workspace_id, tag, created_at, ${idOf("contact_id")} FROM contact_tags, ${copies}`,
  );
  await client.query(`UPDATE contact_sources SET live = live * ${TIMES}`);
  await client.query(`INSERT INTO contacts (${columns}) SELECT ${values} FROM contacts, ${copies}`);
  for (const { definition } of rows) await client.query(definition);
  await client.end();
}

async function connect(cluster: Cluster): Promise<pg.Client> {
  const client = new pg.Client(cluster.url("postgres"));
  // Where a statement fails, the cluster is stopped while it is connected.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

export function largeTable({ contacts, reads }: LargeFigures): string {
  const sizes = [contacts, contacts * TIMES].map((size) => `Milliseconds with ${figure(size)} contacts`);
  return markdown(
    ["Read on PostgreSQL", ...sizes],
    Object.entries(reads).map(([name, [small, large]]) => [name, figure(small), figure(large)]),
  );
}

export function largeVerdicts({ contacts, reads }: LargeFigures): Verdict[] {
  return Object.entries(reads).map(([name, [small, large]]) => ({
    what: `${name}, ${figure(contacts * TIMES)} contacts on PostgreSQL`,
    found: `${figure(large / small)} × ${figure(contacts)}`,
    target: `at most ${MAX_TIMES_SLOWER}`,
    met: large / small <= MAX_TIMES_SLOWER,
  }));
}
