/** Prints SQLite's verdict on every page of a database, as JSON. `copy.ts` runs it: it takes a minute for each gigabyte. */
import Database from "better-sqlite3";

const db = new Database(process.argv[2]);
process.stdout.write(JSON.stringify(db.pragma("integrity_check")));
db.close();
