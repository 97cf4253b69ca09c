import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BUILD } from "./build.ts";

/** Milliseconds from the start of the built program to the first 200 of /readyz, on an existing data folder. */
export async function timeStart(data: string): Promise<number> {
  const port = await freePort();
  const program = join(BUILD, "bin/rostrum.js");
  const started = performance.now();
  const server = spawn(process.execPath, [program, "start", "--port", String(port), "--data", data], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    while (!(await isReady(port))) {
      if (server.exitCode !== null) throw new Error("The program ended before it was ready.");
      await sleep(5);
    }
    return performance.now() - started;
  } finally {
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
  }
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
