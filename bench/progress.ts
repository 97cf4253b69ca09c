import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, RESULTS } from "./build.ts";

/** Figures of a run that was interrupted: the next run with the same settings continues after them. */
export interface Progress<T> {
  find(key: string): T | undefined;
  add(key: string, figures: T): void;
  /** The run is complete. The next one measures everything again. */
  clear(): void;
}

/** @param settings what the figures depend on, besides the program that is measured */
export function openProgress<T>(name: string, settings: unknown): Progress<T> {
  const folder = join(RESULTS, "progress");
  mkdirSync(folder, { recursive: true });
  const hash = createHash("sha256").update(JSON.stringify(settings)).update(buildHash()).digest("hex").slice(0, 12);
  const file = join(folder, `${name}-${hash}.json`);
  const done = new Map<string, T>(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
  return {
    find: (key) => done.get(key),
    add: (key, figures) => {
      done.set(key, figures);
      writeFileSync(file, `${JSON.stringify([...done])}\n`);
    },
    clear: () => rmSync(file, { force: true }),
  };
}

/** Hash of what is measured. */
function buildHash(): string {
  const hash = createHash("sha256");
  const files = readdirSync(BUILD, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(BUILD, name)));
  return hash.digest("hex");
}
