/** Compiles sources and tests, without checking types, into a folder of the repository from which tests run. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ASSETS } from "./assets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
export const BUILD = join(root, ".build");

/** What tests read of the repository: linked, so that they write what they would write beside the sources. */
const LINKS = ["docs", ...ASSETS, "test/fixtures", "test/wire", "README.md", "CHANGELOG.md", "package.json"];

export function compile(): void {
  rmSync(BUILD, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.test.json"], { cwd: root, stdio: "inherit" });
  for (const path of LINKS) {
    const link = join(BUILD, path);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(root, path)), link);
  }
}
