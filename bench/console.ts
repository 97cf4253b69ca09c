import { copyFileSync, readFileSync } from "node:fs";
import http from "node:http";
import { screens } from "../src/console/pages/index.ts";
import { databaseFile, dataKeyFile } from "../src/lib/data-folder.ts";
import { Child } from "./child.ts";
import { fillAround, type Places } from "./console-rows.ts";
import { figure, percentile } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import { copyOf, keepOnDisk, type Seed } from "./seed.ts";

const BELOW_MS = { p50Ms: 20, cpu99Ms: 50 } as const;
/** An empty page with only the frame, signed in. */
const FLOOR = "/nothing-here";

/** Screens with their filters and further pages. */
const ASKED: Record<string, readonly string[]> = {
  "/contacts": ["?q=ada", "?q=ada%20gar", "?stage=lead", "?tag=newsletter", "?tag=q3-launch&stage=customer"],
  "/accounts": ["?q=company%201"],
  "/sequences/:id": ["?show=held", "?show=failed", "?offset=25000"],
  "/sequences/sends": ["?status=unknown"],
  "/deals/stage/:stage": ["?offset=5000"],
  "/inbox": ["?view=done"],
  "/search": ["?q=ada", "?q=gar%20ada", "?q=company%201"],
  "/events/deliveries": ["?status=dead"],
  "/audit": ["?action=approve_sequence", "?by=member-3"],
};

interface PageTime {
  path: string;
  p50Ms: number;
  p99Ms: number;
  /** CPU that the server uses for one page, all threads, without the machine's other work. */
  cpu50Ms: number;
  cpu99Ms: number;
}

/** One page: how long the client waits, and how much CPU the server uses. */
interface Taken {
  ms: number;
  cpuMs: number;
}

export interface ConsoleFigures {
  floor: PageTime;
  pages: PageTime[];
  /** Share of the machine's time that its host gave to other machines; undefined if unknown. */
  stolenMs: number | undefined;
}

/** Server time of every screen: one request at a time, each screen in turn, so that a slow moment affects all. */
export async function measureConsole(data: Seed, turns: number, profiles?: string): Promise<ConsoleFigures> {
  const folder = copyOf(data, "console");
  copyFileSync(dataKeyFile(data.folder), dataKeyFile(folder));
  const places = fillAround(databaseFile(folder));
  keepOnDisk(databaseFile(folder));
  const child = await Child.start("rostrum-console", [folder], profiles);
  try {
    const { cookie, root } = await child.ask("enter");
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (path: string) => timeOf({ agent, port: child.port, path: root + (path === "/" ? "" : path), cookie });
    const paths = [FLOOR, ...pathsOf(places)];
    const times = new Map<string, Taken[]>(paths.map((path) => [path, []]));
    const stolenBefore = stolen();
    // Values prepared at a page's first rendering are cached.
    for (let turn = -1; turn < turns; turn++) {
      for (const [path, taken] of times) {
        const before = (await child.ask("usage")).cpu;
        const ms = await ask(path);
        const cpuMs = ((await child.ask("usage")).cpu - before) / 1_000;
        if (turn >= 0) taken.push({ ms, cpuMs });
      }
    }
    const stolenAfter = stolen();
    const stolenMs = stolenBefore === undefined || stolenAfter === undefined ? undefined : stolenAfter - stolenBefore;
    agent.destroy();
    const [floor, ...pages] = [...times].map(([path, taken]) => figuresOf(path, taken));
    return { floor: floor as PageTime, pages, stolenMs };
  } finally {
    await child.stop();
  }
}

/** A screen whose URL needs a record that the data lacks is omitted. */
function pathsOf({ contact, account, sequence, socialnet, action, deal }: Places): string[] {
  const ids: Record<string, string> = {
    inbox: contact,
    contacts: contact,
    accounts: account,
    deals: deal,
    sequences: sequence,
    agents: socialnet,
    checklist: "OT-02",
    review: action,
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
      // Review leads to its oldest item, whose page is measured too.
      const wanted = path.endsWith(FLOOR) ? 404 : path.endsWith("/review") ? 303 : 200;
      if (response.statusCode !== wanted) reject(new Error(`${path} answers ${response.statusCode}.`));
      response.on("data", () => {});
      response.on("end", () => resolve(performance.now() - started));
    });
    request.on("error", reject);
  });
}

function figuresOf(path: string, taken: readonly Taken[]): PageTime {
  const of = (what: keyof Taken) => {
    const sorted = taken.map((one) => one[what]).sort((a, b) => a - b);
    return (share: number) => percentile(sorted, share);
  };
  const [ms, cpu] = [of("ms"), of("cpuMs")];
  return {
    path: path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ":id"),
    p50Ms: ms(0.5),
    p99Ms: ms(0.99),
    cpu50Ms: cpu(0.5),
    cpu99Ms: cpu(0.99),
  };
}

/** Milliseconds since boot, over all cores, that this virtual machine wanted to run while its host ran others. */
function stolen(): number | undefined {
  try {
    const ticks = Number(readFileSync("/proc/stat", "utf8").split("\n")[0]?.trim().split(/\s+/)[8]);
    return Number.isNaN(ticks) ? undefined : ticks * 10;
  } catch {
    return undefined;
  }
}

export function consoleTable({ floor, pages, stolenMs }: ConsoleFigures): string {
  const rows = [{ ...floor, path: "An empty page" }, ...pages].map((page) => [
    page.path,
    figure(page.p50Ms),
    figure(page.p99Ms),
    figure(page.cpu50Ms),
    figure(page.cpu99Ms),
    figure(page.p50Ms / floor.p50Ms),
  ]);
  const table = markdown(
    ["Screen of the console", "p50 ms", "p99 ms", "CPU p50 ms", "CPU p99 ms", "× an empty page"],
    rows,
  );
  return stolenMs === undefined
    ? table
    : `${table}\n\nWhile the console was measured, the host took ${figure(stolenMs)} ms of CPU time from this virtual machine.`;
}

/**
 * Two bounds for every screen: the median wait, and the work of the server for the slowest in a hundred, which counts
 * its own collections and workers and not what the machine's host does with the time.
 */
export function consoleVerdicts({ pages }: ConsoleFigures): Verdict[] {
  const verdict = (what: string, by: "p50Ms" | "cpu99Ms"): Verdict => {
    const slowest = pages.reduce((a, b) => (b[by] > a[by] ? b : a));
    const found = `${figure(slowest[by])} ms (${slowest.path})`;
    return { what, found, target: `below ${BELOW_MS[by]} ms`, met: slowest[by] < BELOW_MS[by] };
  };
  return [
    verdict("Slowest screen of the console, p50 one at a time", "p50Ms"),
    verdict("Slowest screen of the console, CPU p99", "cpu99Ms"),
  ];
}
