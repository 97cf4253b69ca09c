import Database from "better-sqlite3";

/** The number of statements run during a job. */
export async function executions(job: () => Promise<unknown>): Promise<number> {
  const memory = new Database(":memory:");
  const prototype = Object.getPrototypeOf(memory.prepare("SELECT 1")) as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  memory.close();
  const methods = ["get", "all", "iterate", "run"];
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
