/**
 * Prints SQLite's verdict on every page of a database, or its error, as JSON. `copy.ts` runs it: it takes a minute for
 * each gigabyte.
 */
import Database from "better-sqlite3";

let answer;
try {
  const db = new Database(process.argv[2]);
  answer = { rows: db.pragma("integrity_check") };
  db.close();
} catch ({ code, message }) {
  answer = { error: { code, message } };
}
process.stdout.write(JSON.stringify(answer));
