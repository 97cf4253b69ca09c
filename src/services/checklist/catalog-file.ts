import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import { useErrorMessages } from "../../core/error-messages.ts";
import { findUnstorable } from "../../core/unstorable.ts";
import { type Catalog, type CatalogFault, parseCatalog } from "../../domain/checklist/catalog.ts";
import { UsageError } from "../../lib/operator-error.ts";
import { packageFile } from "../../lib/package.ts";
import { writeWhole } from "../../lib/write-file.ts";

const SHIPPED_CATALOG = packageFile("catalog/checklist.yaml");
const SHIPPED_JSON = packageFile("catalog/checklist.json");

const MAX_BYTES = 1024 * 1024;
/** How many faults are shown; the rest is only counted. */
const MAX_SHOWN = 10;
/** An alias may be used for one source in every item of a full catalog, in each of its fields. */
const MAX_ALIASES = 2_000;

/** A catalog that cannot be used. Its message names the file and, line by line, what to fix. */
export class BadCatalog extends UsageError {}

interface Finding {
  line: number | undefined;
  message: string;
}

/** Reads at its first call and caches the result: reading takes tenths of a second. */
function once(read: () => Catalog): () => Catalog {
  let catalog: Catalog | undefined;
  return () => {
    catalog ??= read();
    return catalog;
  };
}

/** The catalog that comes with Rostrum. A build has it as JSON too, which is read six times as fast. */
export const shippedCatalog = once(() => {
  if (!existsSync(SHIPPED_JSON)) return readCatalogFile(SHIPPED_CATALOG);
  const read = parseCatalog(JSON.parse(readFileSync(SHIPPED_JSON, "utf8")));
  if ("catalog" in read) return read.catalog;
  throw new BadCatalog(`${SHIPPED_JSON} is damaged. Reinstall Rostrum.`);
});

/**
 * The catalog in use: a team's own file, or the shipped one. Using it throws BadCatalog where the file cannot be used.
 */
export function catalogFrom(file: string | undefined): () => Catalog {
  return file === undefined ? shippedCatalog : once(() => readCatalogFile(file));
}

/**
 * Reads and checks a whole catalog file.
 *
 * @throws BadCatalog
 */
export function readCatalogFile(file: string): Catalog {
  useErrorMessages();
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const unreadable = (offset: number, reason: string) => ({
    line: lines.linePos(offset).line,
    message: `is not valid YAML: ${reason}`,
  });
  const broken = [
    ...[...document.errors, ...document.warnings].map(({ pos, message }) => unreadable(pos[0], message)),
    ...strayAliases(document).map(({ range, source }) =>
      unreadable(range?.[0] ?? 0, `nothing above is named &${source}`),
    ),
  ];
  if (broken.length > 0) throw refusal(file, broken);
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw refusal(file, [{ line: undefined, message: `is not valid YAML: ${(error as Error).message}` }]);
  }
  const line = (path: readonly PropertyKey[]) => lineOf(document, lines, path);
  const strange = findUnstorable(data);
  if (strange !== undefined) {
    throw refusal(file, [{ line: line(strange.path.split(".")), message: `${strange.path}: ${strange.fault}` }]);
  }
  const read = parseCatalog(data);
  if ("catalog" in read) return read.catalog;
  throw refusal(
    file,
    read.faults.map((fault) => ({ line: line(fault.path), message: describeFault(fault) })),
  );
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new BadCatalog(`The checklist catalog ${file} is larger than 1 MiB. Choose a smaller file.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof BadCatalog) throw error;
    const reason = error instanceof TypeError ? "it isn't UTF-8. Save it as UTF-8" : (error as Error).message;
    throw new BadCatalog(`The checklist catalog ${file} can't be read: ${reason}.`);
  }
}

/** `OT-04, executor.priority: is required` */
function describeFault({ path, item, message }: CatalogFault): string {
  const within = path.slice(item === null ? 0 : 2).join(".");
  const location = [item, within].filter((part) => part !== null && part !== "").join(", ");
  return location === "" ? message : `${location}: ${message}`;
}

function refusal(file: string, findings: readonly Finding[]): BadCatalog {
  const shown = findings
    .slice(0, MAX_SHOWN)
    .map(({ line, message }) => `${file}${line ? `:${line}` : ""}: ${message}.`);
  const more = findings.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more.`);
  return new BadCatalog(`The checklist catalog can't be used.\n${shown.join("\n")}`);
}

/**
 * The line on which the value at a path begins; of a field, the line of its name. Where the path leads to nothing, such
 * as a missing field, the line of its parent.
 */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const found = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && key.value === step)
      : isSeq(holder)
        ? holder.items[Number(step)]
        : undefined;
    if (found === undefined) break;
    node = isPair(found) ? found.value : found;
    offset = startOf(isPair(found) ? found.key : found) ?? offset;
  }
  return lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}

/** Aliases that refer to nothing: no node above them has their name. */
function strayAliases(document: Document): Alias[] {
  const stray: Alias[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Value(_, { anchor }) {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias(_, alias) {
      if (!anchors.has(alias.source)) stray.push(alias);
    },
  });
  return stray;
}

interface CatalogNote {
  /** The team's own file, whole. */
  file: string;
  /** The hash of the content that the server read. */
  digest: string;
}

/** The file is next to the database and outside its backups, because on another machine the path would mean nothing. */
const notePath = (data: string) => join(data, "catalog.json");

const digestFile = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Records in the data folder which catalog its server uses; without a record it is the shipped one. */
export function noteCatalog(data: string, file: string | undefined): void {
  if (file === undefined) {
    rmSync(notePath(data), { force: true });
    return;
  }
  const note: CatalogNote = { file: resolve(file), digest: digestFile(file) };
  writeWhole(notePath(data), JSON.stringify(note));
}

/** The team's own file that the server of this data folder was last started with. */
export function notedCatalog(data: string): string | undefined {
  return readNote(data)?.file;
}

function readNote(data: string): CatalogNote | undefined {
  try {
    return JSON.parse(readFileSync(notePath(data), "utf8")) as CatalogNote;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * The catalog for a command that runs next to the server: the one that the server read at its start. Using it throws
 * BadCatalog if the file is gone or has changed since.
 */
export function catalogInUse(data: string): () => Catalog {
  const note = readNote(data);
  if (note === undefined) return catalogFrom(undefined);
  const read = catalogFrom(note.file);
  return () => {
    const catalog = read();
    if (digestFile(note.file) === note.digest) return catalog;
    throw new BadCatalog(
      `${note.file} has changed since the server read it. Restart the server, or set ROSTRUM_CHECKLIST_CATALOG to ` +
        "the catalog to use.",
    );
  };
}
