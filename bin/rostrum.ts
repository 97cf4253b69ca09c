#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 node --max-semi-space-size=8 --heap-growing-percent=20 --no-allocation-site-pretenuring
import { run } from "../src/cli/program.ts";

await run(process.argv);
