/** Runs a command per line of stdin, and prints a line with its output and exit status. */
import { createInterface } from "node:readline";
import { run } from "../../src/cli/program.ts";
import type { Case, Finished } from "./process.ts";

const original = { stdout: process.stdout.write.bind(process.stdout), stderr: process.stderr.write };
const environment = process.env;
const folder = process.cwd();
// A failed start ends its process half a second later, which here would end another command.
process.exit = (() => undefined) as never;

for await (const line of createInterface({ input: process.stdin })) {
  const { args, cwd = folder, env } = JSON.parse(line) as Case;
  const written: Finished = { status: 0, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = ((chunk: string) => {
      written[name] += chunk;
      return true;
    }) as typeof process.stdout.write;
  }
  process.env = { ...environment, ...env };
  process.chdir(cwd);
  process.exitCode = 0;
  await run([process.argv[0] ?? "", "rostrum", ...args]);
  written.status = Number(process.exitCode);
  original.stdout(`${JSON.stringify(written)}\n`);
}
