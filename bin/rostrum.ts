#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=100
import { run } from "../src/cli/program.ts";

await run(process.argv);
