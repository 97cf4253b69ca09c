#!/usr/bin/env -S node --max-semi-space-size=4
import { run } from "../src/cli/program.ts";

await run(process.argv);
