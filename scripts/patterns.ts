/**
 * Refuses every regular expression of the program that can take more than linear time: a text that an outsider sends
 * would stall the server. It finds literals by parsing the sources, and built ones by recording them while the sources
 * load.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entryOf } from "./on-demand.ts";

/** Patterns that stay although no proof of linear time was found: by file and beginning, with the reason. */
const EXCEPTIONS: [file: string, beginning: string, reason: string][] = [
  ["src/services/contacts/csv/layout.ts", "\\s*(\\S.*?)", "It reads --map, which operators type themselves."],
  [
    "src/domain/text/redact.ts",
    "(?:\\+|00)?",
    "Every try reads 30 characters before it fails. The pure backend cannot tell.",
  ],
  ["src/domain/text/hidden.ts", "", "recheck cannot read the v flag. Each tries one character, or one emoji."],
  ["src/mail/outcome.ts", "", "verdictOn reads 1,000 characters of a refusal."],
  ["src/rest/router.ts", "", "It is built of the paths that operations declare: each parameter ends at a slash."],
];

/** For one pattern, in milliseconds. One that takes longer counts as not proven. */
const TIMEOUT_MS = 30_000;

interface Pattern {
  file: string;
  line: number;
  source: string;
  flags: string;
}

interface Node {
  type: string;
  start: number;
  regex?: { pattern: string; flags: string };
  callee?: { name?: string };
}

interface Verdict {
  status: "safe" | "vulnerable" | "unknown";
  complexity?: { summary: string };
  attack?: { pattern: string };
}

type Check = (source: string, flags: string, params: object) => Promise<Verdict>;
type Parse = (file: string, text: string) => { program: Node; errors: unknown[] };

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["bin", "src", "examples"];
/** Scripts of the browser, which do not load here. */
const BROWSER = "src/console/ui/static";

const load = async (name: "oxc-parser" | "recheck") => import(pathToFileURL(entryOf(name)).href);
const { parseSync } = (await load("oxc-parser")) as { parseSync: Parse };
const { check } = (await load("recheck")) as { check: Check };

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:tsx?|js)$/.test(file))
    .map((file) => join(folder, file)),
).sort();

const literals: Pattern[] = [];
/** Where sources call RegExp, as file:line. */
const calls = new Set<string>();
for (const file of files) collect(file);
const built = await recordBuilt(files.filter((file) => file.startsWith("src/") && !file.startsWith(BROWSER)));

const faults: string[] = [];
const used = new Set<object>();
const isExcused = ({ file, source }: Pick<Pattern, "file" | "source">) => {
  const exception = EXCEPTIONS.find(([of, beginning]) => of === file && source.startsWith(beginning));
  if (exception !== undefined) used.add(exception);
  return exception !== undefined;
};

for (const place of calls) {
  const [file = ""] = place.split(":");
  if (built.some((one) => `${one.file}:${one.line}` === place) || isExcused({ file, source: "" })) continue;
  faults.push(`${place} builds a pattern when it is called, so it cannot be checked. Build it when the module loads.`);
}
const patterns = [...literals, ...built];
for (const pattern of patterns) {
  const { status, complexity, attack } = await check(pattern.source, pattern.flags, {
    timeout: TIMEOUT_MS,
    randomSeed: 0,
  });
  if (isExcused(pattern) || status === "safe") continue;
  const found = status === "unknown" ? "not proven to take linear time" : `takes ${complexity?.summary} time`;
  const example = attack === undefined ? "" : `, for example of ${attack.pattern}`;
  faults.push(`${pattern.file}:${pattern.line} /${pattern.source}/${pattern.flags}\n  ${found}${example}`);
}
for (const exception of EXCEPTIONS) {
  if (!used.has(exception)) faults.push(`No pattern needs this exception: ${exception.join(" ")}`);
}

if (faults.length > 0) {
  process.stderr.write(
    `${faults.join("\n")}\n\nRewrite it, or give it a reason in EXCEPTIONS of scripts/patterns.ts.\n`,
  );
  process.exitCode = 1;
} else
  process.stdout.write(`${patterns.length} patterns take linear time, ${EXCEPTIONS.length} reasons for exceptions\n`);

function collect(file: string): void {
  const text = readFileSync(join(root, file), "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed.`);
  const lineOf = (at: number) => text.slice(0, at).split("\n").length;
  walk(program, ({ type, start, regex, callee }) => {
    if (regex !== undefined) literals.push({ file, line: lineOf(start), source: regex.pattern, flags: regex.flags });
    const isCall = type === "NewExpression" || type === "CallExpression";
    if (isCall && callee?.name === "RegExp") calls.add(`${file}:${lineOf(start)}`);
  });
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) visit(node as Node);
  for (const inner of Object.values(node)) walk(inner, visit);
}

/** Loads the sources, and records what they build with RegExp. */
async function recordBuilt(sources: readonly string[]): Promise<Pattern[]> {
  const found: Pattern[] = [];
  const record = (pattern: RegExp) => {
    // The caller of RegExp: below this function and the trap that called it.
    const [, , , caller = ""] = (new Error().stack ?? "").split("\n");
    const [, path = "", line = ""] = /(?:file:\/\/)?(\/[^:]+):(\d+):\d+\)?$/.exec(caller) ?? [];
    const file = relative(root, resolve(path));
    if (calls.has(`${file}:${line}`)) {
      found.push({ file, line: Number(line), source: pattern.source, flags: pattern.flags });
    }
    return pattern;
  };
  const original = RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, given, made) => record(Reflect.construct(target, given, made)),
    apply: (target, self, given) => record(Reflect.apply(target, self, given)),
  });
  try {
    // What runs in a thread alone is not loaded: a pattern that it builds counts as one that was not seen.
    for (const file of sources.filter((path) => !path.endsWith("-thread.js"))) {
      await import(pathToFileURL(join(root, file)).href);
    }
  } finally {
    globalThis.RegExp = original;
  }
  return found;
}
