import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Tests run compiled, and a single file also under tsx: both start the same programs. */
const compiled = import.meta.url.endsWith(".js");

/** The repository's root folder, with a slash at its end. */
export const ROOT = fileURLToPath(new URL(compiled ? "../../../" : "../../", import.meta.url));

/**
 * A source file as node can run it; `path` is relative to the root, such as `test/cli/commands.ts`. The command itself
 * runs bundled, as shipped.
 */
export function programFile(path: string): string {
  if (compiled && path === "bin/rostrum.ts") return `${ROOT}.build/dist/rostrum.js`;
  return compiled ? `${ROOT}.build/${path.replace(/\.tsx?$/, ".js")}` : ROOT + path;
}

/** Node's options in front of a program of this repository: sources need a loader, compiled code does not. */
export const LOADER: readonly string[] = compiled ? [] : ["--import", import.meta.resolve("tsx")];

/** The arguments with which node runs a source file. */
export function programArgs(path: string): string[] {
  return [...LOADER, programFile(path)];
}

const FIRST_LINE = /^#!\/usr\/bin\/env -S (?<env>(?:\w+=\S+ )*)node (?<flags>.*)$/m;

/** The Node options in the program's first line. Measurements use the same. */
export function nodeFlags(): string[] {
  return firstLine().flags?.split(" ") ?? [];
}

/** The environment variables in the program's first line, for the C library. */
export function nodeEnv(): Record<string, string> {
  const assigned = firstLine().env?.trim().split(" ") ?? [];
  return Object.fromEntries(assigned.map((text) => text.split("=") as [string, string]));
}

function firstLine(): Record<string, string | undefined> {
  return FIRST_LINE.exec(readFileSync(`${ROOT}bin/rostrum.ts`, "utf8"))?.groups ?? {};
}
