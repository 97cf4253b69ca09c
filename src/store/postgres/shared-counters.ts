import type pg from "pg";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";
import type { Counters } from "../engine.ts";
import type { Query } from "./db.ts";

/**
 * Counts in a table, so that a budget holds over all gateways: one small write for each request that has a budget. While
 * the database does not answer, each gateway counts for itself.
 */
export function sharedCounters(pool: pg.Pool, pooled: boolean): Counters {
  // A session that a pooler shares keeps no prepared statement.
  const storeClient = pooled ? { query: ({ name: _, ...query }: Query) => pool.query(query) } : pool;
  return ({ name, points, duration }) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: "pool",
      tableName: "rostrum_budgets",
      tableCreated: true,
      keyPrefix: name,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ points, duration }),
    });
}
