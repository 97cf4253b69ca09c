import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../build.ts";
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
    command: "TODO",
    differs: "TODO",
  },
  strapi: {
    product: "Strapi",
    version: versionOf("strapi"),
    node: PRODUCTS.strapi.node,
    command: "TODO",
    differs: "TODO",
  },
  fastmcp: { product: "fastmcp", version: versionOf("fastmcp"), node: OWN_NODE, command: "", differs: "" },
  guide: { product: "SDK as its guide shows", version: sdkVersion(), node: OWN_NODE, command: "", differs: "" },
} satisfies Record<string, Description>;

export function describe(names: readonly (keyof typeof DESCRIPTIONS)[]): Description[] {
  return names.map((name) => DESCRIPTIONS[name]);
}
