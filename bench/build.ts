import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyAssets } from "../scripts/assets.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const RESULTS = join(ROOT, "bench/results");
export const BUILD = join(RESULTS, "build");

/** Compiles the package as its build does, with the bench's servers beside it: a loader would slow what it loads. */
export function build(): void {
  rmSync(BUILD, { recursive: true, force: true });
  mkdirSync(BUILD, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "bench/tsconfig.json"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  copyAssets(ROOT, BUILD);
  // The program looks for its manifest one folder above the build.
  copyFileSync(join(ROOT, "package.json"), join(RESULTS, "package.json"));
}
