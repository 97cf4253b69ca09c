import { readFileSync } from "node:fs";

/** The manifest is one folder above src in a checkout, and two above it in the built package. */
const folder = import.meta.url.endsWith(".ts") ? "../../package.json" : "../../../package.json";

export const VERSION = (JSON.parse(readFileSync(new URL(folder, import.meta.url), "utf8")) as { version: string })
  .version;

/** How the command is written where it was installed, for advice that can be pasted. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npx tsx bin/rostrum.ts" : "npx rostrum";
