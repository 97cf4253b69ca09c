/** Compiles, and runs test/crash/rounds.ts: `npm run crash -- --rounds 200`. */
import { runCompiled } from "./compile.ts";

await runCompiled("test/crash/rounds.js");
