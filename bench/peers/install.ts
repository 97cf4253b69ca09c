/** Installs other products beside the checkout, in versions that are written down here. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Product {
  name: string;
  /** The package whose version the report names. */
  main: string;
  packages: Readonly<Record<string, string>>;
  /** The version of Node that it runs on, if not Rostrum's. */
  node?: string;
  /** Addons that are compiled for this Node, because a prebuilt one may be out of reach. */
  addons?: readonly string[];
}

const LTS = "22.23.3";

export const PRODUCTS = {
  directus: {
    name: "Directus",
    main: "directus",
    packages: { directus: "12.4.0" },
    node: LTS,
    addons: ["sqlite3", "isolated-vm"],
  },
  strapi: {
    name: "Strapi",
    main: "@strapi/strapi",
    packages: {
      "@strapi/strapi": "5.54.0",
      "@strapi/plugin-users-permissions": "5.54.0",
      "better-sqlite3": "12.11.1",
      react: "18.3.1",
      "react-dom": "18.3.1",
      "react-router-dom": "6.30.6",
      "styled-components": "6.6.0",
    },
    node: LTS,
    addons: ["better-sqlite3"],
  },
  fastmcp: { name: "fastmcp", main: "fastmcp", packages: { fastmcp: "4.20.16" } },
} as const satisfies Record<string, Product>;

export type ProductName = keyof typeof PRODUCTS;

export interface Installed {
  folder: string;
  /** The program that runs it, and its environment in front of the product's own settings. */
  node: string;
  env: NodeJS.ProcessEnv;
}

/** Installs a product once. An interrupted installation is continued. Nothing is written outside the folder. */
export async function install(name: ProductName, parent: string, say: (text: string) => void): Promise<Installed> {
  const product: Product = PRODUCTS[name];
  const folder = join(parent, name);
  const wanted = manifestOf(name, product);
  const note = join(folder, "installed.json");
  const nodePackage = join(folder, "node_modules", nodeName());
  const env =
    product.node === undefined
      ? process.env
      : {
          ...process.env,
          PATH: `${join(nodePackage, "bin")}${delimiter}${process.env.PATH}`,
          npm_config_nodedir: nodePackage,
          npm_config_build_from_source: "true",
        };
  const isDone = (step: string) => existsSync(step) && readFileSync(step, "utf8") === wanted;
  if (!isDone(note)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), wanted);
    say(`Installing ${product.name} ${versionOf(name)} into ${folder}: one to two minutes …`);
    await npm(["install", "--ignore-scripts"], folder, process.env);
    for (const addon of product.addons ?? []) {
      const compiled = join(folder, `${addon}.compiled`);
      if (isDone(compiled)) continue;
      say(`Compiling ${addon} for ${product.name}: one to five minutes …`);
      await npm(["rebuild", addon], folder, env);
      writeFileSync(compiled, wanted);
    }
    writeFileSync(note, wanted);
  }
  const node = product.node === undefined ? process.execPath : join(nodePackage, "bin/node");
  return { folder, node, env };
}

export function versionOf(name: ProductName): string {
  const { main, packages }: Product = PRODUCTS[name];
  return packages[main] as string;
}

/** The npm package that holds the program of Node for this machine, with the headers that addons are compiled with. */
function nodeName(): string {
  return `node-${process.platform}-${process.arch}`;
}

function manifestOf(name: string, { packages, node, addons = [] }: Product): string {
  const manifest = {
    name: `rostrum-bench-${name}`,
    version: "0.0.0",
    private: true,
    dependencies: { ...packages, ...(node === undefined ? {} : { [nodeName()]: node }) },
    allowScripts: Object.fromEntries(addons.map((addon) => [addon, true])),
    // Strapi reports its use unless its project's manifest says no.
    strapi: { telemetryDisabled: true },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

async function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", [...args, ...quiet], { cwd, env: withoutRun(env), maxBuffer: 64 * 1024 * 1024 });
}

/** npm run tells its children about the package it runs: they must not take it for theirs. */
function withoutRun(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const told = /^npm_(?:package|lifecycle|execpath|command|config_local_prefix|config_prefix)|^INIT_CWD$/;
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !told.test(variable)));
}
