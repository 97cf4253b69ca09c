import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { call, follow } from "../cli/process.ts";
import { ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";
import { pack } from "./pack.ts";

const run = promisify(execFile);
const ADDON = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/**
 * Installs the package in an empty folder. Install scripts stay off: the important one compiles better-sqlite3 for a
 * minute, so this checkout's addon of exactly the same version is copied instead.
 */
async function install(place: string, tarball: string): Promise<string> {
  const home = join(place, "home");
  mkdirSync(home);
  const { version } = readJson(join(ROOT, "node_modules/better-sqlite3/package.json"));
  const manifest = { private: true, dependencies: { rostrum: tarball }, overrides: { "better-sqlite3": version } };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: home });
  mkdirSync(dirname(join(home, ADDON)), { recursive: true });
  copyFileSync(join(ROOT, ADDON), join(home, ADDON));
  return home;
}

/** Links of the packed pages to files that are not packed. */
function deadLinks(files: readonly string[]): string[] {
  const pages = files.filter((name) => name.endsWith(".md") && !name.startsWith("package/dist/"));
  assert.ok(pages.length > 30, "the docs are packed");
  return pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page.replace(/^package\//, "")), "utf8");
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image,
    );
    return targets.flatMap((target = "") => {
      if (/^(?:[a-z]+:|#)/.test(target)) return [];
      const file = posix.join(posix.dirname(page), target.replace(/#.*$/, ""));
      return files.some((name) => name === file || name.startsWith(`${file.replace(/\/$/, "")}/`))
        ? []
        : [`${page}: ${target}`];
    });
  });
}

test("the packed package starts in an empty folder, and serves the API, its reference and its bundle", async (t) => {
  const place = temporaryFolder(t);
  const tarball = await pack(place);
  const files = (await run("tar", ["-tzf", tarball])).stdout.trim().split("\n");
  const migrations = readdirSync(join(ROOT, "src/store/sqlite/migrations")).filter((name) => name.endsWith(".sql"));
  for (const name of migrations) assert.ok(files.includes(`package/dist/src/store/sqlite/migrations/${name}`), name);
  assert.ok(files.includes("package/dist/catalog/checklist.yaml"));
  const stray = files.filter(
    (name) => !/^package\/((dist|docs|deploy|examples)\/|package\.json$|LICENSE$|[A-Z]+\.md$)/.test(name),
  );
  assert.deepEqual(stray, [], "no tests, no sources, no data");
  const secrets = files.filter((name) => /compose\/(rostrum\.env|secrets)/.test(name));
  assert.deepEqual(secrets, [], "no settings of the machine that packs it");
  assert.ok(files.includes("package/dist/THIRD-PARTY-NOTICES.txt"));
  assert.deepEqual(deadLinks(files), []);

  const home = await install(place, tarball);
  const installed = readdirSync(join(home, "node_modules"));
  for (const development of ["tsx", "typescript", "drizzle-kit", "@biomejs"]) {
    assert.ok(!installed.includes(development), development);
  }
  const command = join(home, "node_modules/.bin/rostrum");
  const env = { ...process.env, TMPDIR: place };
  const child = spawn(command, ["start", "--ephemeral", "--json", "--port", "0"], { cwd: home, env, stdio: "pipe" });
  const server = await follow(t, child);
  const listed = await call(server, "GET", "/contacts");
  assert.equal(listed.status, 200);
  assert.ok(listed.body.data.length > 0);

  const page = await fetch(`${server.ready.url}/docs`);
  assert.equal(page.status, 200);
  const scripts = [...(await page.text()).matchAll(/<script src="([^"]+)"/g)].map(([, src]) => src as string);
  assert.ok(scripts.length > 0);
  for (const src of scripts) {
    const script = await fetch(new URL(src, server.ready.url));
    assert.equal(script.status, 200, src);
    assert.match(script.headers.get("content-type") ?? "", /javascript/);
    await script.arrayBuffer();
  }
  const description = (await (await fetch(`${server.ready.base_url}/openapi.json`)).json()) as { openapi: string };
  assert.match(description.openapi, /^3\.1/);
  assert.equal((await server.stop("SIGTERM")).status, 0, server.output().stderr);
});

test("the publish workflow names its repository in the package, which npm requires for provenance", async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const workflow = readFileSync(join(ROOT, ".github/workflows/publish.yml"), "utf8");
  const [, command = ""] = /run: (npm pkg set .*)/.exec(workflow) ?? [];
  assert.ok(workflow.indexOf(command) < workflow.indexOf("npm publish --provenance"));
  const env = { ...process.env, GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/rostrum" };
  await run("sh", ["-c", command], { cwd: folder, env });
  const { repository } = readJson(join(folder, "package.json"));
  assert.deepEqual(repository, { type: "git", url: "git+https://github.com/acme/rostrum.git" });
});
