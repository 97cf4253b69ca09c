/** Compiles, and runs test/soak/run.ts: `npm run soak -- --minutes 60`. */
import { runCompiled } from "./compile.ts";

await runCompiled("test/soak/run.js");
