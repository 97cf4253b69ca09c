import type { Database } from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";

export type Drizzle = BetterSQLite3Database<Record<string, never>> & { $client: Database };

export function withDrizzle(db: Database): Drizzle {
  return drizzle(db, { casing: "snake_case" }) as Drizzle;
}

/** A statement prepared once for each distinct key: an unprepared query costs eight times a prepared one. */
export function memoised<T>(prepare: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    let statement = known.get(key);
    if (statement === undefined) {
      statement = prepare(key);
      known.set(key, statement);
    }
    return statement;
  };
}
