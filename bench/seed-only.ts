import { mkdirSync } from "node:fs";
import { RESULTS } from "./build.ts";
import { seed } from "./seed.ts";

mkdirSync(RESULTS, { recursive: true });
await seed(1_000_000);
