/** Compiles sources and tests, without checking types, into a folder of the repository, and bundles the command there. */
import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ASSETS } from "./assets.ts";
import { bundle } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
export const BUILD = join(root, ".build");

/** What tests read of the repository: linked, so that they write what they would write beside the sources. */
const LINKS = ["docs", ...ASSETS, "test/fixtures", "test/wire", "README.md", "CHANGELOG.md", "package.json"];

const SOURCES = ["bin", "src", "test", "scripts", "bench", "examples"];
const COMPILED_FROM = [...SOURCES, ...ASSETS, "tsconfig.json", "tsconfig.test.json", "package-lock.json"];
/** Of what the folder was compiled. It is written last. */
const STAMP = join(BUILD, "compiled-from");

/** Every file that is compiled or copied, with its size and the time of its last change. */
function compiledFrom(): string {
  const files = COMPILED_FROM.flatMap((path) => {
    const isFolder = statSync(join(root, path)).isDirectory();
    return isFolder
      ? readdirSync(join(root, path), { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
      : [path];
  });
  return files
    .map((file) => ({ file, stat: statSync(join(root, file)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ file, stat }) => `${file} ${stat.size} ${stat.mtimeMs}\n`)
    .join("");
}

/** Does nothing where nothing has changed. */
export async function compile(): Promise<void> {
  const from = compiledFrom();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === from) return;
  rmSync(BUILD, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const compiled = promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.test.json"], { cwd: root });
  await Promise.all([compiled, bundle(join(BUILD, "dist"))]);
  for (const path of LINKS) {
    const link = join(BUILD, path);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(root, path)), link);
  }
  writeFileSync(STAMP, from);
}

/** Compiles, and runs a program of the tests with the arguments of this process, and ends as it ends. */
export async function runCompiled(path: string): Promise<void> {
  await compile();
  const args = ["--enable-source-maps", join(BUILD, path), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}
