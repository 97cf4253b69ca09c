import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { BUILD } from "./build.ts";
import { Child } from "./child.ts";
import { figure, median } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import { copyOf, type Seed } from "./seed.ts";

const CLIENTS = 100;
const BUSY_MS = 500;

export interface StopFigures {
  stops: number;
  answered: number;
  /** Requests that were sent and never answered, or answered by an error. */
  failed: Record<string, number>;
  stopMs: number;
}

/** Stops the built program by SIGTERM repeatedly, while clients keep sending on open connections. */
export async function measureStops(data: Seed, stops: number): Promise<StopFigures> {
  const folder = copyOf(data, "stops");
  const figures: StopFigures = { stops, answered: 0, failed: {}, stopMs: Number.NaN };
  const times: number[] = [];
  for (let stop = 0; stop < stops; stop++) {
    const args = [join(BUILD, "bin/rostrum.js"), "start", "--json", "--port", "0", "--data", folder];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const { base_url: base } = JSON.parse(line) as { base_url: string };
    const clients = await Child.start("clients", [`${base}/contacts?limit=25`, data.key, String(CLIENTS)]);
    const gone = clients.ask("gone");
    await sleep(BUSY_MS);
    const stopped = performance.now();
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    const { succeeded, failed } = await gone;
    await ended;
    times.push(performance.now() - stopped);
    await clients.stop();
    figures.answered += succeeded;
    for (const [what, times] of Object.entries(failed)) figures.failed[what] = (figures.failed[what] ?? 0) + times;
  }
  return { ...figures, stopMs: median(times) };
}

const sum = (failed: StopFigures["failed"]) => Object.values(failed).reduce((total, times) => total + times, 0);

export function stopsTable({ stops, answered, failed, stopMs }: StopFigures): string {
  const what = Object.entries(failed).map(([what, times]) => `${times} ${what}`);
  return markdown(
    ["Stops", "Clients", "Answered", "Failed", "Stop ms"],
    [[String(stops), String(CLIENTS), figure(answered), what.join(", ") || "0", figure(stopMs)]],
  );
}

export function stopsVerdict({ stops, failed }: StopFigures): Verdict {
  return {
    what: `Requests cut off by ${stops} stops, ${CLIENTS} clients`,
    found: String(sum(failed)),
    target: "0",
    met: sum(failed) === 0,
  };
}
