/** Compiles, and runs test/fuzz/run.ts: `npm run fuzz -- --requests 100000 --seed 7`. */
import { runCompiled } from "./compile.ts";

await runCompiled("test/fuzz/run.js");
