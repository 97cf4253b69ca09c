import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LineCounter, parseDocument } from "yaml";
import { type Catalog, type CatalogFault, parseCatalog } from "../domain/checklist-catalog.ts";
import { findUnstorable } from "../domain/text.ts";
import { useOwnWords } from "../issues.ts";
import { lineOf, strayAliases } from "./line-of.ts";

/** It lies the same way from here in a checkout and in the built package. */
const SHIPPED_CATALOG = fileURLToPath(new URL("../../catalog/checklist.yaml", import.meta.url));

const MAX_BYTES = 1024 * 1024;
/** Where more is wrong, the rest is counted. */
const MOST_SHOWN = 10;
/** An alias may stand for one source in every item of a full catalog, and in each of its places. */
const MAX_ALIASES = 2_000;

/** A catalog that cannot be used. Its message says the file, and line by line what is to be mended. */
export class BadCatalog extends Error {}

interface Finding {
  line: number | undefined;
  says: string;
}

/** Reads at its first call, and answers the same from then on: reading costs tenths of a second. */
function once(read: () => Catalog): () => Catalog {
  let catalog: Catalog | undefined;
  return () => {
    catalog ??= read();
    return catalog;
  };
}

/** The catalog that comes with Rostrum. */
export const shippedCatalog = once(() => readCatalogFile(SHIPPED_CATALOG));

/**
 * The catalog to work by: a team's own file, or the shipped one. What it answers throws BadCatalog where the file
 * cannot be used.
 */
export function catalogFrom(file: string | undefined): () => Catalog {
  return file === undefined ? shippedCatalog : once(() => readCatalogFile(file));
}

/**
 * Reads a catalog file, whole and checked.
 *
 * @throws BadCatalog
 */
export function readCatalogFile(file: string): Catalog {
  useOwnWords();
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const unreadable = (offset: number, reason: string) => ({
    line: lines.linePos(offset).line,
    says: `is no YAML that can be read: ${reason}`,
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
    throw refusal(file, [{ line: undefined, says: `is no YAML that can be read: ${(error as Error).message}` }]);
  }
  const line = (path: readonly PropertyKey[]) => lineOf(document, lines, path);
  const strange = findUnstorable(data);
  if (strange !== undefined) {
    throw refusal(file, [{ line: line(strange.path.split(".")), says: `${strange.path}: ${strange.fault}` }]);
  }
  const read = parseCatalog(data);
  if ("catalog" in read) return read.catalog;
  throw refusal(
    file,
    read.faults.map((fault) => ({ line: line(fault.path), says: inWords(fault) })),
  );
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new BadCatalog(`${file} is larger than 1 MiB: no catalog of a checklist.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof BadCatalog) throw error;
    const reason = error instanceof TypeError ? "it is not UTF-8; save it as such" : (error as Error).message;
    throw new BadCatalog(`The checklist's catalog ${file} cannot be read: ${reason}.`);
  }
}

/** `OT-04, executor.priority: is required` */
function inWords({ path, item, message }: CatalogFault): string {
  const within = path.slice(item === null ? 0 : 2).join(".");
  const place = [item, within].filter((part) => part !== null && part !== "").join(", ");
  return place === "" ? message : `${place}: ${message}`;
}

function refusal(file: string, findings: readonly Finding[]): BadCatalog {
  const shown = findings.slice(0, MOST_SHOWN).map(({ line, says }) => `${file}${line ? `:${line}` : ""}: ${says}.`);
  const more = findings.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more.`);
  return new BadCatalog(`The checklist's catalog cannot be used.\n${shown.join("\n")}`);
}
