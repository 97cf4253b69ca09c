import { readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import type { Case, ServerName } from "./cases.ts";
import type { Child } from "./child.ts";
import { load } from "./load.ts";
import type { Pace } from "./measure.ts";
import { figure } from "./numbers.ts";
import { markdown } from "./report.ts";

/** Where the CPU time of a request goes. */
const LAYERS = ["Socket writes", "SQLite", "Node.js", "Libraries", "Rostrum", "Garbage collection", "Other"] as const;
type Layer = (typeof LAYERS)[number];

export interface Layered {
  server: ServerName;
  /** Microseconds of CPU per request, as the case measured it without a profiler. */
  cpuMicros: number;
  /** The share of each layer. */
  shares: Record<Layer, number>;
}

/** The servers that are compared: the others differ from these only in how they commit, or are no part of Rostrum. */
const COMPARED: readonly ServerName[] = ["rostrum", "floor"];

/** Loads each server once more under a profiler, which would distort the figures of the case. */
export async function measureLayers(
  { servers, next }: Case,
  children: ReadonlyMap<ServerName, Child>,
  { connections, ms }: Pace,
  cpuOf: (server: ServerName) => number,
): Promise<Layered[]> {
  const found: Layered[] = [];
  for (const server of servers.filter((name) => COMPARED.includes(name))) {
    const child = children.get(server) as Child;
    await child.ask("profile");
    await load({ ports: child.serves, next, connections, ms });
    found.push({ server, cpuMicros: cpuOf(server), shares: sharesOf(await child.ask("profiled"), readFileSync) });
  }
  return found;
}

export function layersTable(cases: readonly { title: string; layers: readonly Layered[] }[]): string {
  return markdown(
    ["CPU µs per request", "Server", ...LAYERS],
    cases.flatMap(({ title, layers }) =>
      layers.map(({ server, cpuMicros, shares }, i) => [
        i === 0 ? title : "",
        server,
        ...LAYERS.map((layer) => figure(shares[layer] * cpuMicros)),
      ]),
    ),
  );
}

/** Functions of Node's streams that end in a system call. */
const SOCKET = /^(writev|writeBuffer|writeUtf8String|writeLatin1String)$/;
/** Functions of SQLite's addon. */
const ADDON = /^(all|exec|get|get inTransaction|iterate|pragma|prepare|run)$/;
/** Waiting, and the start of the profiler. */
const IGNORED = /^(\(idle\)|dispatch)$/;

/**
 * The share of each layer in a profile of a bundled server.
 *
 * @param read reads a file beside the bundle, a source map, as text
 */
export function sharesOf(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  read: (path: string, encoding: "utf8") => string,
): Record<Layer, number> {
  const maps = new Map<string, SourceMap>();
  const sourceOf = ({ url, lineNumber, columnNumber }: Frame): string => {
    // An addon is not in the bundle.
    const own = /\/(node_modules\/.*)$/.exec(url)?.[1];
    if (own !== undefined) return own;
    let map = maps.get(url);
    if (map === undefined) {
      map = new SourceMap(JSON.parse(read(`${fileURLToPath(url)}.map`, "utf8")));
      maps.set(url, map);
    }
    const found = map.findEntry(lineNumber, columnNumber);
    const source = "originalSource" in found ? found.originalSource : "";
    return /(?:^|\/)((?:src|bench|bin|node_modules)\/.*)$/.exec(source)?.[1] ?? "";
  };
  const layers = new Map(nodes.map(({ id, callFrame }) => [id, layerOf(callFrame, sourceOf)]));
  const times = Object.fromEntries(LAYERS.map((layer) => [layer, 0])) as Record<Layer, number>;
  for (const [i, id] of samples.entries()) {
    const layer = layers.get(id);
    if (layer !== undefined) times[layer] += timeDeltas[i] ?? 0;
  }
  const total = Object.values(times).reduce((sum, time) => sum + time, 0);
  return Object.fromEntries(LAYERS.map((layer) => [layer, times[layer] / total])) as Record<Layer, number>;
}

type Frame = Profiler.Profile["nodes"][number]["callFrame"];

/** @returns undefined for what is no work of a request */
function layerOf(frame: Frame, sourceOf: (frame: Frame) => string): Layer | undefined {
  const { functionName, url } = frame;
  if (IGNORED.test(functionName) && !url.startsWith("file:")) return undefined;
  if (functionName === "(garbage collector)") return "Garbage collection";
  if (url.startsWith("node:")) return "Node.js";
  if (!url.startsWith("file:")) return nativeLayer(functionName);
  const source = sourceOf(frame);
  // The floor's own code is a few lines around its statements.
  if (/^(src\/store\/sqlite|bench\/servers\/floor|node_modules\/better-sqlite3)/.test(source)) return "SQLite";
  return source.startsWith("node_modules/") ? "Libraries" : "Rostrum";
}

function nativeLayer(name: string): Layer {
  if (SOCKET.test(name)) return "Socket writes";
  return ADDON.test(name) ? "SQLite" : "Other";
}
