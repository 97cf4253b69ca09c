/** Prevents two runs at a time, which would measure each other. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RESULTS } from "./build.ts";

const FILE = join(RESULTS, "running.pid");

/** @throws if another run is in progress */
export function lockBench(): void {
  try {
    writeFileSync(FILE, String(process.pid), { flag: "wx" });
  } catch {
    const pid = Number(readFileSync(FILE, "utf8"));
    if (isRunning(pid))
      throw new Error(`The bench is running already, as process ${pid}. Wait for its end, or stop it.`);
    writeFileSync(FILE, String(process.pid));
  }
  process.once("exit", () => rmSync(FILE, { force: true }));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
