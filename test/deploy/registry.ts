import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { pack } from "../package/pack.ts";
import { ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const NPM = "https://registry.npmjs.org";
const MIGRATIONS = "package/dist/src/store/sqlite/migrations";
const NEXT_VERSION = "99.0.0";

interface Manifest {
  name: string;
  version: string;
  [field: string]: unknown;
}

interface Published {
  manifest: Manifest;
  tarball: Buffer;
}

export interface Registry {
  /** Environment variables that make npm use it. */
  env: Record<string, string>;
  version: string;
  /** The version that `publishNext` publishes. It has a migration more. */
  next: string;
  publishNext(): void;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const writeJson = (file: string, value: unknown) => writeFileSync(file, JSON.stringify(value, null, 2));

/** @param place has the folder `package` */
async function packed(place: string): Promise<Published> {
  const file = join(place, "package.tgz");
  await run("tar", ["-C", place, "-czf", file, "package"]);
  return { manifest: readJson(join(place, "package/package.json")), tarball: readFileSync(file) };
}

/** The package of this checkout, with a later version and one migration more. */
async function nextVersion(place: string, tarball: string): Promise<Published> {
  mkdirSync(place);
  await run("tar", ["-C", place, "-xzf", tarball]);
  const manifest = join(place, "package/package.json");
  writeJson(manifest, { ...readJson(manifest), version: NEXT_VERSION });
  const journal = join(place, MIGRATIONS, "meta/_journal.json");
  const { entries, ...rest } = readJson(journal);
  const last = entries.at(-1);
  const added = {
    ...last,
    idx: last.idx + 1,
    when: last.when + 1,
    tag: `${last.idx + 1}`.padStart(4, "0").concat("_next"),
  };
  writeJson(journal, { ...rest, entries: [...entries, added] });
  writeFileSync(
    join(place, MIGRATIONS, `${added.tag}.sql`),
    "CREATE TABLE next_version (id INTEGER PRIMARY KEY) STRICT;",
  );
  return packed(place);
}

/** With this checkout's addon: compiling it takes a minute. */
async function builtSqlite(place: string): Promise<Published> {
  const source = join(ROOT, "node_modules/better-sqlite3");
  const target = join(place, "package");
  mkdirSync(join(target, "build/Release"), { recursive: true });
  cpSync(join(source, "lib"), join(target, "lib"), { recursive: true });
  const addon = "build/Release/better_sqlite3.node";
  cpSync(join(source, addon), join(target, addon));
  const { scripts: _, ...manifest } = readJson(join(source, "package.json"));
  writeJson(join(target, "package.json"), { ...manifest, gypfile: false });
  return packed(place);
}

/** A registry with the package of this checkout. It sends requests for other packages on to npm's. */
export async function startRegistry(t: TestContext): Promise<Registry> {
  const place = temporaryFolder(t);
  const tarball = await pack(place);
  const manifest = readJson(join(ROOT, "package.json")) as Manifest;
  const [next, sqlite] = await Promise.all([
    nextVersion(join(place, "next"), tarball),
    builtSqlite(join(place, "sqlite")),
  ]);
  const packages = new Map<string, Published[]>([
    ["rostrum", [{ manifest, tarball: readFileSync(tarball) }]],
    ["better-sqlite3", [sqlite]],
  ]);
  let url = "";
  const describe = (name: string, versions: readonly Published[]) => ({
    name,
    "dist-tags": { latest: versions.at(-1)?.manifest.version },
    versions: Object.fromEntries(
      versions.map((one) => [
        one.manifest.version,
        {
          ...one.manifest,
          dist: {
            tarball: `${url}/${name}/-/${one.manifest.version}.tgz`,
            integrity: `sha512-${createHash("sha512").update(one.tarball).digest("base64")}`,
          },
        },
      ]),
    ),
  });
  const server = createServer((request, response) => {
    const [, name = "", ...rest] = (request.url ?? "").split("/");
    const versions = packages.get(name);
    if (versions === undefined) return void response.writeHead(302, { location: NPM + request.url }).end();
    response.setHeader("cache-control", "no-store");
    const wanted = rest.at(-1)?.replace(/\.tgz$/, "");
    if (wanted === undefined) return void response.end(JSON.stringify(describe(name, versions)));
    response.end(versions.find((one) => one.manifest.version === wanted)?.tarball);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: {
      npm_config_registry: url,
      npm_config_cache: join(place, "cache"),
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
    },
    version: manifest.version,
    next: NEXT_VERSION,
    publishNext: () => void packages.get("rostrum")?.push(next),
  };
}
