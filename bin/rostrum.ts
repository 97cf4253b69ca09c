#!/usr/bin/env node
import { run } from "../src/cli/program.ts";

await run(process.argv);
