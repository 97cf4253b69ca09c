import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Catalog } from "../domain/checklist-catalog.ts";
import { BadCatalog, catalogFrom } from "./catalog-file.ts";

interface InUse {
  /** The team's own file, whole. */
  file: string;
  /** Of what was in it when the server read it. */
  digest: string;
}

/** It lies beside the database, and outside its backups: on another machine the path would mean nothing. */
const noteOf = (data: string) => join(data, "catalog.json");

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Notes in the data folder which catalog its server works by; without a note it is the shipped one. */
export function noteCatalog(data: string, file: string | undefined): void {
  if (file === undefined) {
    rmSync(noteOf(data), { force: true });
    return;
  }
  const note: InUse = { file: resolve(file), digest: digestOf(file) };
  const fresh = `${noteOf(data)}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(note), { mode: 0o600 });
  renameSync(fresh, noteOf(data));
}

/** The team's own file that the server of this data folder was last started with. */
export function notedCatalog(data: string): string | undefined {
  return readNote(data)?.file;
}

function readNote(data: string): InUse | undefined {
  try {
    return JSON.parse(readFileSync(noteOf(data), "utf8")) as InUse;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * The catalog that a command beside the server works by: the server's, which keeps what it read at its start. What it
 * answers throws BadCatalog where that file is gone or reads otherwise by now.
 */
export function catalogInUse(data: string): () => Catalog {
  const note = readNote(data);
  if (note === undefined) return catalogFrom(undefined);
  const read = catalogFrom(note.file);
  return () => {
    const catalog = read();
    if (digestOf(note.file) === note.digest) return catalog;
    throw new BadCatalog(
      `${note.file} has changed since the server read it. Start the server again, or name the catalog to work by in ROSTRUM_CHECKLIST_CATALOG.`,
    );
  };
}
