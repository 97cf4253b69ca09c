import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../scripts/bundle.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const RESULTS = join(ROOT, "bench/results");
export const BUILD = join(RESULTS, "build");

/** Bundles the program as its package does, with the bench's servers: what is measured is what is installed. */
export async function build(): Promise<void> {
  const servers = readdirSync(join(ROOT, "bench/servers")).map((name) => `bench/servers/${name}`);
  await bundle(BUILD, ["bin/rostrum.ts", ...servers], true);
  // The program looks for its manifest one folder above the build.
  mkdirSync(RESULTS, { recursive: true });
  copyFileSync(join(ROOT, "package.json"), join(RESULTS, "package.json"));
}
