import { copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { freePort } from "../../test/support/free-port.ts";
import { BUILD } from "../build.ts";
import { headersOf, round, type Sample } from "../cases.ts";
import { Child } from "../child.ts";
import { httpRequest } from "../load.ts";
import { keepOnDisk, type Seed } from "../seed.ts";
import { FIELDS, fillTable, keptFolder } from "./contacts.ts";
import type { Installed } from "./install.ts";
import { creatingAt, type PeerServer } from "./peer.ts";

const DATABASE = "strapi.db";
const TOKEN_FILE = "token";

const attributes = {
  ...Object.fromEntries(FIELDS.map((name) => [name, { type: "string" }])),
  tags: { type: "json" },
  archived_at: { type: "datetime" },
};
const contact = {
  kind: "collectionType",
  collectionName: "contacts",
  info: { singularName: "contact", pluralName: "contacts", displayName: "Contact" },
  options: { draftAndPublish: false },
  attributes,
};

const made = (factory: string) =>
  `const { factories } = require("@strapi/strapi");\nmodule.exports = factories.${factory}("api::contact.contact");\n`;

/** The project that its generator makes, with one collection. The admin panel isn't served, and isn't built. */
const PROJECT: Readonly<Record<string, string>> = {
  "config/server.js": `module.exports = ({ env }) => ({
  host: "127.0.0.1",
  port: env.int("PORT"),
  app: { keys: ["a key of the bench", "another key of the bench"] },
});\n`,
  "config/admin.js": `module.exports = {
  serveAdminPanel: false,
  auth: { secret: "a secret of the bench" },
  apiToken: { salt: "a salt of the bench" },
  transfer: { token: { salt: "another salt of the bench" } },
  secrets: { encryptionKey: "an encryption key of the bench" },
};\n`,
  "config/api.js": "module.exports = { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } };\n",
  "config/database.js": `module.exports = ({ env }) => ({
  connection: { client: "sqlite", connection: { filename: env("DATABASE_FILENAME") }, useNullAsDefault: true },
});\n`,
  "config/logger.js": `module.exports = { level: "warn" };\n`,
  "config/plugins.js": `module.exports = { "users-permissions": { config: { jwtSecret: "a secret of the bench" } } };\n`,
  "config/middlewares.js": `module.exports = [
  "strapi::logger",
  "strapi::errors",
  "strapi::security",
  "strapi::cors",
  "strapi::poweredBy",
  "strapi::query",
  "strapi::body",
  "strapi::session",
  "strapi::favicon",
  "strapi::public",
];\n`,
  "src/index.js": `const { writeFileSync } = require("node:fs");
module.exports = {
  async bootstrap({ strapi }) {
    if (!process.env.BENCH_TOKEN_FILE) return;
    const tokens = strapi.service("admin::api-token");
    const { accessKey } = await tokens.create({ name: "bench", description: "", type: "full-access", lifespan: null });
    writeFileSync(process.env.BENCH_TOKEN_FILE, accessKey);
  },
};\n`,
  "src/api/contact/content-types/contact/schema.json": `${JSON.stringify(contact, null, 2)}\n`,
  "src/api/contact/controllers/contact.js": made("createCoreController"),
  "src/api/contact/services/contact.js": made("createCoreService"),
  "src/api/contact/routes/contact.js": made("createCoreRouter"),
};

/** Strapi with the contacts in one collection. */
export async function strapiServers(installed: Installed, seed: Seed): Promise<PeerServer[]> {
  for (const [path, text] of Object.entries(PROJECT)) {
    const file = join(installed.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(installed.folder, "public/uploads"), { recursive: true });
  const recipe = [
    seed.folder,
    ...["strapi", "contacts"].map(source),
    readFileSync(join(installed.folder, "installed.json")),
  ];
  const folder = await keptFolder(`strapi-${seed.contacts}`, recipe.join(), async (partial) => {
    const server = await start(installed, partial, { BENCH_TOKEN_FILE: join(partial, TOKEN_FILE) });
    const token = readFileSync(join(partial, TOKEN_FILE), "utf8");
    await createOne(server.port, token);
    await server.stop();
    fill(seed, join(partial, DATABASE));
  });
  const token = readFileSync(join(folder, TOKEN_FILE), "utf8");
  return [
    {
      name: "Strapi",
      start: async (work) => {
        mkdirSync(work, { recursive: true });
        copyFileSync(join(folder, DATABASE), join(work, DATABASE));
        keepOnDisk(join(work, DATABASE));
        return start(installed, work, {});
      },
      questions: (sample) => {
        const headers = headersOf(token);
        const query = new URLSearchParams({
          "pagination[pageSize]": "25",
          "pagination[withCount]": "true",
          sort: "id:desc",
        });
        return {
          get: round(sample.map((of) => httpRequest("GET", `/api/contacts/${documentId(of)}`, headers))),
          list: round([httpRequest("GET", `/api/contacts?${query}`, headers)]),
          create: creatingAt("/api/contacts", token, (data) => ({ data })),
        };
      },
    },
  ];
}

/** The id by which Strapi's callers know a document. */
const documentId = ({ id }: Pick<Sample, "id">) => id.replaceAll("-", "");

const source = (name: string) => readFileSync(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), "utf8");

async function start({ folder, node, env }: Installed, work: string, more: object): Promise<Child> {
  const port = await freePort();
  const log = openSync(join(work, "server.log"), "a");
  const program = join(folder, "node_modules/@strapi/strapi/bin/strapi.js");
  return Child.start("peer", [program, String(port), "/_health", "start"], undefined, BUILD, {
    execPath: node,
    execArgv: [],
    cwd: folder,
    env: {
      ...env,
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_FILENAME: join(work, DATABASE),
      STRAPI_TELEMETRY_DISABLED: "true",
      ...more,
    },
    stdio: ["ignore", log, log, "ipc"],
  });
}

/** The first contact comes in by the API: it shows what Strapi writes into its own columns. */
async function createOne(port: number, token: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/contacts`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ data: { email: "first@example.com" } }),
  });
  if (!response.ok) throw new Error(`Strapi refused a contact: ${await response.text()}`);
}

function fill(seed: Seed, file: string): void {
  const db = new Database(file);
  const first = db.prepare<[], Record<string, unknown>>("SELECT * FROM contacts").get() as Record<string, unknown>;
  db.exec("DELETE FROM contacts");
  db.close();
  const isPublished = first.published_at !== null;
  fillTable(seed, file, "contacts", ({ id, ...row }, n) => ({
    ...row,
    id: n,
    document_id: documentId({ id }),
    published_at: isPublished ? row.created_at : null,
    locale: first.locale,
  }));
}
