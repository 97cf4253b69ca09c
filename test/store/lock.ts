import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

const HOLD = `
  const db = new (require(process.argv[1]))(process.argv[2]);
  db.exec("BEGIN IMMEDIATE");
  console.log("held");
  process.stdin.once("end", () => { db.exec("COMMIT"); db.close(); }).resume();
`;

/** Another process that holds the write lock until told to release it. */
export async function holdWriteLock(t: Pick<TestContext, "after">, file: string): Promise<() => Promise<void>> {
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
  const child = spawn(process.execPath, ["-e", HOLD, sqlite, file], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await once(createInterface({ input: child.stdout }), "line");
  return async () => {
    child.stdin.end();
    await ended;
  };
}
