/**
 * Prints how the source files are laid out: `npm run layout`. Add `-- --check` to exit with 1 when there is an import
 * cycle, a stem that two files of one folder share, or a loose file in src/ besides the entry files.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../src/", import.meta.url));
/** Folders whose own folders are listed too. */
const LISTED_DEEPER = ["console", "tools", "services", "domain", "store"];
const ENTRY_FILES = ["app.ts", "config.ts"];
const SHORT_LINES = 20;
const IMPORT =
  /^(?:import|export)\s+(?<type>type\s+)?(?:[\w$*{},\s]+?\sfrom\s+)?"(?<from>\.[^"]+)"|\bimport\("(?<lazy>\.[^"]+)"\)/gm;

interface Source {
  path: string;
  lines: number;
  /** The files it imports, and those of them that it imports at runtime. */
  imports: { all: Set<string>; runtime: Set<string> };
}

const paths = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
const sources = paths.sort().map(read);
const byPath = new Map(sources.map((source) => [source.path, source]));

console.log(row("folder", "files", "lines", "median", "p90"));
for (const [folder, files] of foldersOf(sources)) console.log(row(folder, ...sizesOf(files)));
console.log(row("all", ...sizesOf(sources)));

const importers = [...countsOf(sources.flatMap(({ imports }) => [...imports.all])).values()];
const stems = countsOf(paths.map((path) => path.replace(/\.tsx?$/, "")));
const shared = [...stems].filter(([, count]) => count > 1).map(([stem]) => stem);
const loose = paths.filter((path) => !path.includes("/") && !ENTRY_FILES.includes(path));
const cycles = cyclesOf("all");
const runtimeCycles = cyclesOf("runtime");

console.log();
report("files with exactly one importer", importers.filter((count) => count === 1).length);
report(`files of ${SHORT_LINES} lines or fewer`, sources.filter(({ lines }) => lines <= SHORT_LINES).length);
report("groups of files in import cycles, with type imports", cycles.length, cycles);
report("groups of files in import cycles, without type imports", runtimeCycles.length, runtimeCycles);
report("stems that files of one folder share", shared.length, shared);
report("loose files in src/", loose.length, loose);
if (process.argv.includes("--check") && [cycles, shared, loose].flat().length > 0) process.exitCode = 1;

function read(path: string): Source {
  const text = readFileSync(ROOT + path, "utf8");
  const imports: Source["imports"] = { all: new Set(), runtime: new Set() };
  for (const { groups = {} } of text.matchAll(IMPORT)) {
    const target = posix.join(posix.dirname(path), groups.from ?? groups.lazy ?? "");
    if (!paths.includes(target)) continue;
    imports.all.add(target);
    if (groups.type === undefined) imports.runtime.add(target);
  }
  return { path, lines: text.split("\n").length - 1, imports };
}

/** The folders in src/, and in some of them those one level down. A file counts in both. */
function foldersOf(files: readonly Source[]): [name: string, files: Source[]][] {
  const folders = new Map<string, Source[]>();
  for (const file of files) {
    const [top = "", second, third] = file.path.split("/");
    const names = [second === undefined ? "(loose)" : top];
    if (LISTED_DEEPER.includes(top) && third !== undefined) names.push(`${top}/${second}`);
    for (const name of names) folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
}

function sizesOf(files: readonly Source[]): number[] {
  const lines = files.map((file) => file.lines).sort((a, b) => a - b);
  const atShare = (share: number) => lines[Math.ceil(share * lines.length) - 1] ?? 0;
  return [files.length, lines.reduce((sum, count) => sum + count, 0), atShare(0.5), atShare(0.9)];
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Groups of files that all reach each other, each with its shortest cycle. */
function cyclesOf(kind: keyof Source["imports"]): string[] {
  const reached = new Map(paths.map((path) => [path, waysFrom(path, kind)]));
  const inCycles = paths.filter((path) => reached.get(path)?.has(path));
  const groups = new Map<string | undefined, string[]>();
  for (const path of inCycles) {
    const first = inCycles.find((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path));
    groups.set(first, [...(groups.get(first) ?? []), path]);
  }
  return [...groups.values()].map((group) => {
    const [way = []] = group.map((path) => reached.get(path)?.get(path) ?? []).sort((a, b) => a.length - b.length);
    return `${group.length} files, such as ${way.join(" > ")}`;
  });
}

/** The shortest way along imports from a file to each file that it reaches. */
function waysFrom(start: string, kind: keyof Source["imports"]): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  const waiting = [[start]];
  for (let way = waiting.shift(); way !== undefined; way = waiting.shift()) {
    for (const next of byPath.get(way.at(-1) ?? "")?.imports[kind] ?? []) {
      if (ways.has(next)) continue;
      ways.set(next, [...way, next]);
      waiting.push([...way, next]);
    }
  }
  return ways;
}

function report(name: string, count: number, details: readonly string[] = []): void {
  console.log([`${`${count}`.padStart(5)}  ${name}`, ...details.map((detail) => `         ${detail}`)].join("\n"));
}

function row(name: string, ...figures: (string | number)[]): string {
  return name.padEnd(24) + figures.map((figure) => `${figure}`.padStart(8)).join("");
}
