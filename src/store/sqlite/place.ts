import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { commandOn } from "../../lib/command-line.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** A database file that is not the one which belongs here. Its message is for the server admin. */
export class WrongDatabase extends OperatorError {}

/** What a Rostrum leaves beside its database. */
const LEFT_BESIDE = ["data.key", "backups"];

/**
 * Refuses to begin a new database where there was one, and to write into another program's. A disk that wasn't mounted
 * or a copy that broke off must not look like a fresh start.
 *
 * @param isNew whether the operator asked for a new database
 * @throws WrongDatabase
 */
export function requireOwnDatabase(file: string, isNew = false): void {
  const tables = tablesIn(file);
  if (tables === undefined || tables.length === 0) {
    const left = LEFT_BESIDE.filter((name) => existsSync(join(dirname(file), name)));
    if (isNew || left.length === 0) return;
    throw new WrongDatabase(
      `${file} is ${tables === undefined ? "missing" : "empty"}, but ${left.join(" and ")} beside it ` +
        `${left.length > 1 ? "belong" : "belongs"} to an earlier database. Get that database back: mount its disk, or ` +
        `run ${commandOn(dirname(file), "restore BACKUP")}. To start with an empty database, run ` +
        `${commandOn(dirname(file), "start --new-database")}.`,
    );
  }
  if (tables.includes("__drizzle_migrations")) return;
  throw new WrongDatabase(
    `${file} belongs to another program: it has the table ${tables[0]}. Move it out of ` +
      `${dirname(file)}. Then put your own ${basename(file)} back, or set another folder with --data.`,
  );
}

/** Undefined where there is no file. One that can't be read as a database is left to the caller that opens it. */
function tablesIn(file: string): string[] | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return undefined;
  if (size === 0) return [];
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  } finally {
    db.close();
  }
}
