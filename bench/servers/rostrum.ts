import { startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { unlimited } from "../../src/core/policy.ts";
import { createLog } from "../../src/lib/log.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import { serve } from "./serve.ts";

/** Rostrum itself, from its composition root, with the budgets lifted: rostrum.js <data folder> [each | health] */

const [, , data = "", mode] = process.argv;
if (mode === "each") commitEach();

const env = mode === "health" ? { ROSTRUM_HEALTH_PORT: "0" } : {};
const config = readConfig({ port: "0", data }, env);
const { store, port, healthUrl, close } = await startApp(config, createLog("warn"), { limits: unlimited });
const ports = healthUrl === undefined ? [port] : [port, Number(new URL(healthUrl).port)];
serve({ port, ports, close, answers: { pages } });

/** The same program with a transaction for every write: no job enters the queue before the last one is durable. */
function commitEach(): void {
  const { run } = Writer.prototype;
  let last: Promise<unknown> = Promise.resolve();
  Writer.prototype.run = function <T>(this: Writer, job: () => Promise<T>): Promise<T> {
    const mine = last.then(() => run.call(this, job) as Promise<T>);
    last = mine.catch(() => undefined);
    return mine;
  };
}

const OFFSETS = [0, 1_000, 10_000, 100_000, 500_000];
const TURNS = 101;

async function pages(): Promise<Record<number, number>> {
  const [workspace] = await store.workspaces();
  const { contacts } = store.read(workspace?.id ?? "");
  const times = new Map<number, number[]>(OFFSETS.map((offset) => [offset, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [offset, taken] of times) {
      const started = performance.now();
      await contacts.list({ limit: 25, offset });
      taken.push((performance.now() - started) * 1000);
    }
  }
  const median = (taken: number[]) => taken.sort((a, b) => a - b)[TURNS >> 1] ?? 0;
  return Object.fromEntries([...times].map(([offset, taken]) => [offset, median(taken)]));
}
