/** Reads cases from stdin, runs the command for each, and prints what each one printed and its exit status. */
import { json } from "node:stream/consumers";
import { run } from "../../src/cli/program.ts";
import type { Case, Finished } from "./process.ts";

const original = { stdout: process.stdout.write, stderr: process.stderr.write };
const environment = { ...process.env };
const finished: Finished[] = [];

for (const { args, cwd, env = {} } of (await json(process.stdin)) as Case[]) {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = ((chunk: string) => {
      written[name] += chunk;
      return true;
    }) as typeof process.stdout.write;
  }
  process.env = { ...environment, ...env };
  if (cwd !== undefined) process.chdir(cwd);
  process.exitCode = 0;
  await run([process.argv[0] ?? "", "rostrum", ...args]);
  finished.push({ status: Number(process.exitCode), ...written });
}
process.stdout.write = original.stdout;
process.stderr.write = original.stderr;
process.exitCode = 0;
process.stdout.write(JSON.stringify(finished));
