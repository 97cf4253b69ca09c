import Database from "better-sqlite3";
import pg from "pg";
import { isPostgres } from "./engine-under-test.ts";

type Methods = Record<string, (...args: unknown[]) => unknown>;

function counted(): { prototype: Methods; methods: string[] } {
  if (isPostgres) return { prototype: pg.Client.prototype as unknown as Methods, methods: ["query"] };
  const memory = new Database(":memory:");
  const prototype = Object.getPrototypeOf(memory.prepare("SELECT 1")) as Methods;
  memory.close();
  return { prototype, methods: ["get", "all", "iterate", "run"] };
}

/** How many statements run during a job. */
export async function executions(job: () => Promise<unknown>): Promise<number> {
  const { prototype, methods } = counted();
  const originals = methods.map((name) => prototype[name] as (...args: unknown[]) => unknown);
  let count = 0;
  for (const [i, name] of methods.entries()) {
    prototype[name] = function (...args) {
      count += 1;
      return originals[i]?.apply(this, args);
    };
  }
  try {
    await job();
  } finally {
    for (const [i, name] of methods.entries()) prototype[name] = originals[i] as (...args: unknown[]) => unknown;
  }
  return count;
}
