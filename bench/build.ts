import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ASSETS } from "../scripts/assets.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const RESULTS = join(ROOT, "bench/results");
export const BUILD = join(RESULTS, "build");

/** Compiles the package like its build, with the bench's servers: a loader would slow down what it loads. */
export function build(): void {
  rmSync(BUILD, { recursive: true, force: true });
  mkdirSync(BUILD, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "bench/tsconfig.json"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  for (const path of [...ASSETS, "package.json"]) cpSync(join(ROOT, path), join(BUILD, path), { recursive: true });
}
