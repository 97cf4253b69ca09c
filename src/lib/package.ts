import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** This module is a separate file in a checkout. The built package is bundled, with all its files in one folder. */
const bundled = !/\/lib\/package\.[jt]s$/.test(import.meta.url);
const ROOT = new URL(bundled ? "./" : "../../", import.meta.url);
const MANIFEST = new URL(bundled ? "../package.json" : "package.json", ROOT);

/** The path of a file that comes with the program, by its path in the repository, such as `catalog/checklist.yaml`. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

/** The path of a file of a dependency. The built package holds a copy in `assets/`, since it installs no such package. */
export function vendoredFile(name: string, module: string): string {
  const copy = packageFile(`assets/${name}`);
  return existsSync(copy) ? copy : createRequire(import.meta.url).resolve(module);
}

export const VERSION = (JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string }).version;

/** How the command is written where it was installed, for advice that can be pasted. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npx tsx bin/rostrum.ts" : "npx rostrum";
