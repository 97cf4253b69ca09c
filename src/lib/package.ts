import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** This module is a file of its own in a checkout. The built package is bundled, and its files lie flat in one folder. */
const bundled = !/\/lib\/package\.[jt]s$/.test(import.meta.url);
const ROOT = new URL(bundled ? "./" : "../../", import.meta.url);
const MANIFEST = new URL(bundled ? "../package.json" : "package.json", ROOT);

/** The path of a file that comes with the program, by its path in the repository, such as `catalog/checklist.yaml`. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

/** The path of a file of an installed dependency, whether its package exports it or not. */
export function dependencyFile(path: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(path) ?? [];
  const found = folders.map((folder) => join(folder, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} is not installed. Run npm ci.`);
  return found;
}

/** The path of a dependency's file. The built package holds a copy in `assets/`, since it installs no such package. */
export function vendoredFile(name: string, path: string): string {
  const copy = packageFile(`assets/${name}`);
  return existsSync(copy) ? copy : dependencyFile(path);
}

export const VERSION = (JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string }).version;

/** How the command is written where it was installed, for advice that can be pasted. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npx tsx bin/rostrum.ts" : "npx rostrum";
