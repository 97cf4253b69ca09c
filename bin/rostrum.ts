#!/usr/bin/env -S MALLOC_TOP_PAD_=0 node --max-semi-space-size=8 --no-allocation-site-pretenuring --v8-pool-size=1
import { run } from "../src/cli/program.ts";
import { limitHeapGrowth } from "../src/lib/heap.ts";

limitHeapGrowth();
await run(process.argv);
