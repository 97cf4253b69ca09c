/** Compiles, and runs the rounds of test/crash/rounds.ts: `npm run crash -- --rounds 200`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { BUILD, compile } from "./compile.ts";

await compile();
const args = ["--enable-source-maps", join(BUILD, "test/crash/rounds.js"), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
