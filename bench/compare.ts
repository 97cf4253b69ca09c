/** Another commit of Rostrum, built so that it can be measured beside this one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { RESULTS, ROOT } from "./build.ts";
import { schemaFingerprint } from "./seed.ts";

/**
 * Unpacks a commit below the results and builds it by its own bench. Answers the folder of the build.
 *
 * @throws where its schema is another one: the two could not be measured on the same data
 */
export function buildCommit(ref: string): string {
  const tree = join(RESULTS, "compare");
  const archive = join(RESULTS, "compare.tar");
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree);
  execFileSync("git", ["archive", "--output", archive, ref], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  execFileSync("tar", ["-xf", archive, "-C", tree]);
  rmSync(archive);
  if (schemaFingerprint(tree) !== schemaFingerprint(ROOT)) {
    throw new Error(`${ref} has another database schema, so that it cannot be measured on the same contacts.`);
  }
  const lock = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");
  if (lock(tree) === lock(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  else execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tree, stdio: "inherit" });
  const program = 'const { build } = await import("./bench/build.ts"); await build();';
  execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    cwd: tree,
    stdio: "inherit",
  });
  return join(tree, "bench/results/build");
}
