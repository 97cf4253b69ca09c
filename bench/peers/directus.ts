import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../test/support/free-port.ts";
import { BUILD } from "../build.ts";
import { headersOf, mcpRequest, round } from "../cases.ts";
import { Child } from "../child.ts";
import { httpRequest } from "../load.ts";
import { keepOnDisk, type Seed } from "../seed.ts";
import { FIELDS, fillTable, keptFolder } from "./contacts.ts";
import type { Installed } from "./install.ts";
import { creatingAt, type PeerServer } from "./peer.ts";

const TOKEN = "bench-token";
const DATABASE = "directus.db";

/** What a production server needs, and no telemetry. */
const AS_SHIPPED = {
  NODE_ENV: "production",
  SECRET: "a secret of the bench, at least 32 characters",
  ADMIN_EMAIL: "admin@example.com",
  ADMIN_PASSWORD: "bench-password",
  ADMIN_TOKEN: TOKEN,
  DB_CLIENT: "sqlite3",
  HOST: "127.0.0.1",
  TELEMETRY: "false",
};

export const SETTINGS = {
  "Directus, schema cached": { CACHE_SCHEMA_FREEZE_ENABLED: "true", LOG_LEVEL: "warn" },
  "Directus, as shipped": {},
} as const;

/** Directus with the contacts in one collection, in each of its settings. */
export async function directusServers(installed: Installed, seed: Seed): Promise<PeerServer[]> {
  const recipe = [
    seed.folder,
    ...["directus", "contacts"].map(source),
    readFileSync(join(installed.folder, "installed.json")),
  ];
  const folder = await keptFolder(`directus-${seed.contacts}`, recipe.join(), async (partial) => {
    await createCollection(installed, partial);
    fillTable(seed, join(partial, DATABASE), "contacts", ({ ...row }) => row);
  });
  return Object.entries(SETTINGS).map(([name, settings]) => ({
    name,
    start: async (work) => {
      mkdirSync(work, { recursive: true });
      copyFileSync(join(folder, DATABASE), join(work, DATABASE));
      keepOnDisk(join(work, DATABASE));
      return start(installed, work, settings);
    },
    questions: (sample) => {
      const headers = headersOf(TOKEN);
      const to = { key: TOKEN, modern: false, path: "/mcp" };
      const reading = (id: string) => ({
        name: "items",
        arguments: { action: "read", collection: "contacts", keys: [id], query: { fields: ["*"] } },
      });
      return {
        get: round(sample.map(({ id }) => httpRequest("GET", `/items/contacts/${id}`, headers))),
        list: round([httpRequest("GET", "/items/contacts?limit=25&sort=-id&meta=total_count", headers)]),
        create: creatingAt("/items/contacts", TOKEN, (contact) => contact),
        call: round(sample.map(({ id }) => mcpRequest(to, "tools/call", reading(id)))),
        tools: round([mcpRequest(to, "tools/list", {})]),
      };
    },
  }));
}

const source = (name: string) => readFileSync(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), "utf8");

async function start({ folder, node, env }: Installed, work: string, settings: object): Promise<Child> {
  const port = await freePort();
  const log = openSync(join(work, "server.log"), "a");
  const program = join(folder, "node_modules/@directus/api/dist/cli/run.js");
  return Child.start("peer", [program, String(port), "/server/ping", "start"], undefined, BUILD, {
    execPath: node,
    execArgv: [],
    cwd: folder,
    env: { ...environment(env, work), ...settings, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
    stdio: ["ignore", log, log, "ipc"],
  });
}

const environment = (env: NodeJS.ProcessEnv, work: string) => ({
  ...env,
  ...AS_SHIPPED,
  DB_FILENAME: join(work, DATABASE),
});

/** A collection with the contact's fields. Only its id has an index: no other is needed for what is asked. */
async function createCollection(installed: Installed, folder: string): Promise<void> {
  for (const name of ["uploads", "extensions"]) mkdirSync(join(installed.folder, name), { recursive: true });
  const program = join(installed.folder, "node_modules/@directus/api/dist/cli/run.js");
  const env = { ...environment(installed.env, folder), PUBLIC_URL: "http://127.0.0.1:8055" };
  await promisify(execFile)(installed.node, [program, "bootstrap"], { cwd: installed.folder, env });
  const server = await start(installed, folder, {});
  const field = (name: string, type: string, special?: string) => ({
    field: name,
    type,
    schema: name === "id" ? { is_primary_key: true } : {},
    meta: special === undefined ? {} : { special: [special] },
  });
  const fields = [
    field("id", "uuid", "uuid"),
    ...FIELDS.map((name) => field(name, "string")),
    field("tags", "json", "cast-json"),
    field("created_at", "timestamp", "date-created"),
    field("updated_at", "timestamp", "date-updated"),
    field("archived_at", "timestamp"),
  ];
  try {
    await ask(server.port, "POST", "/collections", { collection: "contacts", schema: {}, meta: {}, fields });
    await ask(server.port, "PATCH", "/settings", { mcp_enabled: true });
  } finally {
    await server.stop();
  }
}

async function ask(port: number, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Directus refused ${method} ${path}: ${await response.text()}`);
}
