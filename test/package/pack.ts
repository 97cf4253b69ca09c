import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../support/program.ts";

const run = promisify(execFile);
const LEFT_OUT = new Set(["node_modules", ".git", "dist", ".build", ".dev", "data", "test"]);

/**
 * Packs a copy of the checkout, because building the package replaces `dist` while others may use it. The copy has the
 * settings and secrets of a server that was started from it.
 *
 * @returns the path of the tarball
 */
export async function pack(place: string): Promise<string> {
  const checkout = join(place, "checkout");
  cpSync(ROOT, checkout, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const compose = join(checkout, "deploy/compose");
  mkdirSync(join(compose, "secrets"), { recursive: true });
  writeFileSync(join(compose, "rostrum.env"), "SMTP_URL=smtps://user:password@mail.example.com:465\n");
  writeFileSync(join(compose, "secrets/data_key"), "key\n");
  await run("npm", ["pack", "--pack-destination", place], { cwd: checkout });
  return join(place, readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "");
}
