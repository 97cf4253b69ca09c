/** Checks the spelling of the docs, the sources and the tests: `npm run spelling`. Names go into scripts/spelling.txt. */
import { spawnSync } from "node:child_process";
import { entryOf } from "./on-demand.ts";

const { status } = spawnSync(
  process.execPath,
  [entryOf("cspell"), "lint", "--config", "cspell.json", "--no-progress", ...process.argv.slice(2)],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
