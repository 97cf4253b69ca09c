import { copyFileSync } from "node:fs";
import http from "node:http";
import { databaseFile, dataKeyFile } from "../src/app.ts";
import { screens } from "../src/console/pages/index.ts";
import { Child } from "./child.ts";
import { fillAround, type Places } from "./console-rows.ts";
import { figure } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import { copyOf, type Seed } from "./seed.ts";

const BELOW_MS = 50;
const CPU_TURNS = 20;
/** A page of the frame alone: signed in, in the workspace, and nothing there. */
const FLOOR = "/nothing-here";

/** Screens with what people ask of them beside their first page. */
const ASKED: Record<string, readonly string[]> = {
  "/contacts": ["?q=ada", "?q=ada%20gar", "?stage=lead", "?tag=newsletter", "?tag=q3-launch&stage=customer"],
  "/accounts": ["?q=company%201"],
  "/sequences/:id": ["?show=held", "?show=failed", "?offset=25000"],
  "/sequences/sends": ["?status=unknown"],
  "/deals/:stage": ["?offset=5000"],
  "/events/deliveries": ["?status=dead"],
  "/audit": ["?action=approve_sequence", "?by=member-3"],
};

interface PageTime {
  path: string;
  p50Ms: number;
  p99Ms: number;
  /** Of the server, for one page: what other programs of the machine do is not in it. */
  cpuMs: number;
}

export interface ConsoleFigures {
  floor: PageTime;
  pages: PageTime[];
}

/** Server time of every screen: one request at a time, each screen in turn, so that a slow moment meets them all. */
export async function measureConsole(data: Seed, turns: number, profiles?: string): Promise<ConsoleFigures> {
  const folder = copyOf(data, "console");
  copyFileSync(dataKeyFile(data.folder), dataKeyFile(folder));
  const places = fillAround(databaseFile(folder));
  const child = await Child.start("rostrum-console", [folder], profiles);
  try {
    const { cookie, root } = await child.ask("enter");
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (path: string) => timeOf({ agent, port: child.port, path: root + (path === "/" ? "" : path), cookie });
    const paths = [FLOOR, ...pathsOf(places)];
    const times = new Map<string, number[]>(paths.map((path) => [path, []]));
    // What each page prepares at its first drawing is prepared once.
    for (let turn = -1; turn < turns; turn++) {
      for (const [path, taken] of times) {
        const ms = await ask(path);
        if (turn >= 0) taken.push(ms);
      }
    }
    const measured: PageTime[] = [];
    for (const [path, taken] of times) {
      const before = (await child.ask("usage")).cpu;
      for (let turn = 0; turn < CPU_TURNS; turn++) await ask(path);
      const cpuMs = ((await child.ask("usage")).cpu - before) / CPU_TURNS / 1_000;
      measured.push({ ...figuresOf(path, taken), cpuMs });
    }
    agent.destroy();
    const [floor, ...pages] = measured;
    return { floor: floor as PageTime, pages };
  } finally {
    await child.stop();
  }
}

/** A screen whose address needs a record that this data has none of is left out. */
function pathsOf({ contact, account, sequence, socialnet, action }: Places): string[] {
  const ids: Record<string, string> = {
    ...{ contacts: contact, accounts: account, sequences: sequence, agents: socialnet },
    ...{ checklist: "OT-02", review: action },
  };
  return screens.flatMap(({ path }) => {
    const id = ids[path.split("/")[1] ?? ""];
    if (path.includes(":id") && id === undefined) return [];
    const parts: Record<string, string> = {
      ":id": id ?? "",
      ":stage": "proposal",
      ":kind": "action",
      ":action": action,
    };
    const at = path.replace(/:\w+/g, (name) => parts[name] ?? name);
    return ["", ...(ASKED[path] ?? [])].map((query) => at + query);
  });
}

interface Asked {
  agent: http.Agent;
  port: number;
  path: string;
  cookie: string;
}

function timeOf({ agent, port, path, cookie }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const request = http.get({ host: "127.0.0.1", port, path, agent, headers: { cookie } }, (response) => {
      const wanted = path.endsWith(FLOOR) ? 404 : 200;
      if (response.statusCode !== wanted) reject(new Error(`${path} answers ${response.statusCode}.`));
      response.on("data", () => {});
      response.on("end", () => resolve(performance.now() - started));
    });
    request.on("error", reject);
  });
}

function figuresOf(path: string, taken: readonly number[]): Omit<PageTime, "cpuMs"> {
  const sorted = [...taken].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { path: path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ":id"), p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function consoleTable({ floor, pages }: ConsoleFigures): string {
  const rows = [{ ...floor, path: "An empty page" }, ...pages].map(({ path, p50Ms, p99Ms, cpuMs }) => [
    path,
    figure(p50Ms),
    figure(p99Ms),
    figure(cpuMs),
    figure(p50Ms / floor.p50Ms),
  ]);
  return markdown(["Screen of the console", "p50 ms", "p99 ms", "CPU ms", "× an empty page"], rows);
}

export function consoleVerdict({ pages }: ConsoleFigures): Verdict {
  const slowest = pages.reduce((a, b) => (b.p99Ms > a.p99Ms ? b : a));
  return {
    what: "Slowest screen of the console, p99 one at a time",
    found: `${figure(slowest.p99Ms)} ms (${slowest.path})`,
    target: `below ${BELOW_MS} ms`,
    met: slowest.p99Ms < BELOW_MS,
  };
}
