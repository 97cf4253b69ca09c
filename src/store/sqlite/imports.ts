import { and, eq } from "drizzle-orm";
import type { ImportRun, Imports } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";
import { importRuns as runs } from "../sql/schema/index.ts";

export class SqliteImports implements Imports {
  readonly #db: Drizzle;
  readonly #workspaceId: string;

  constructor(db: Drizzle, workspaceId: string) {
    this.#db = db;
    this.#workspaceId = workspaceId;
  }

  async find(fingerprint: string): Promise<ImportRun | undefined> {
    const { rowsDone, created, updated, unchanged, rejected, lastRejected, finishedAt } = runs;
    return this.#db
      .select({ rowsDone, created, updated, unchanged, rejected, lastRejected, finishedAt })
      .from(runs)
      .where(and(eq(runs.workspaceId, this.#workspaceId), eq(runs.fingerprint, fingerprint)))
      .get();
  }

  async save(fingerprint: string, run: ImportRun, now: number): Promise<void> {
    const set = { ...run, updatedAt: now };
    this.#db
      .insert(runs)
      .values({ ...set, workspaceId: this.#workspaceId, fingerprint, startedAt: now })
      .onConflictDoUpdate({ target: [runs.workspaceId, runs.fingerprint], set })
      .run();
  }
}
