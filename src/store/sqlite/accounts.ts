import { and, eq, sql } from "drizzle-orm";
import type { Accounts } from "../accounts.ts";
import type { Drizzle } from "./connection.ts";
import { accounts as a } from "./schema.ts";

const p = sql.placeholder;

export function prepareAccounts(db: Drizzle) {
  const mine = eq(a.workspaceId, p("workspaceId"));
  return {
    exists: db
      .select({ id: a.id })
      .from(a)
      .where(and(eq(a.id, p("id")), mine))
      .prepare(),
  };
}

export class SqliteAccounts implements Accounts {
  readonly #s: ReturnType<typeof prepareAccounts>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareAccounts>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async exists(id: string): Promise<boolean> {
    return this.#s.exists.get({ id, workspaceId: this.#workspaceId }) !== undefined;
  }
}
