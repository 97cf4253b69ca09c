import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../build.ts";
import { SETTINGS } from "./directus.ts";
import { PRODUCTS, versionOf } from "./install.ts";
import type { Description } from "./report.ts";

const OWN_NODE = process.version.slice(1);

/** The SDK is a development dependency of Rostrum itself. */
const sdkVersion = () => {
  const manifest = readFileSync(join(ROOT, "node_modules/@modelcontextprotocol/server/package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
};

const DESCRIPTIONS = {
  directus: {
    product: "Directus",
    version: versionOf("directus"),
    node: PRODUCTS.directus.node,
    command:
      "`directus start` in production mode with `DB_CLIENT=sqlite3` and `TELEMETRY=false`. As shipped, nothing else. " +
      `With the schema cached, also ${settingsOf("Directus, schema cached")}`,
    differs:
      "The token is an administrator's, which skips its permission rules. A list counts archived contacts too. A create " +
      "records activity and a revision, has no idempotency key, checks no duplicates, and is a transaction of its own, " +
      "with a rollback journal and `synchronous=FULL`. Its own MCP server offers its own tools: the call is `items` with " +
      "the action `read`. Its cache of responses is off, as shipped",
  },
  strapi: {
    product: "Strapi",
    version: versionOf("strapi"),
    node: PRODUCTS.strapi.node,
    command: "`strapi start` in production mode on SQLite, without telemetry and the admin panel, log level `warn`",
    differs:
      "The token has full access. A list counts archived contacts too. A create has no idempotency key, no audit row and " +
      "no duplicate check, and is a transaction of its own. Drafts are off",
  },
  fastmcp: {
    product: "fastmcp",
    version: versionOf("fastmcp"),
    node: OWN_NODE,
    command: "`server.start()` with `httpStream` and `enableJsonResponse`: once in 50 sessions, once `stateless`",
    differs:
      "Rostrum's 13 tools, declared with the same zod schemas. Only `get_contact` works: it checks the key and reads the " +
      "row with the floor's statement. It lists schemas in full, so its list is longer. No rate limits and no metrics",
  },
  guide: {
    product: "SDK as its guide shows",
    version: sdkVersion(),
    node: OWN_NODE,
    command: "`createMcpHandler` and `McpServer.registerTool` from the SDK's guide, on `node:http`",
    differs: "As for fastmcp. A server is created for each request",
  },
} satisfies Record<string, Description>;

function settingsOf(server: keyof typeof SETTINGS): string {
  const entries = Object.entries(SETTINGS[server]);
  return entries.map(([name, value]) => `\`${name}=${value}\``).join(" and ");
}

export function describe(names: readonly (keyof typeof DESCRIPTIONS)[]): Description[] {
  return names.map((name) => DESCRIPTIONS[name]);
}
