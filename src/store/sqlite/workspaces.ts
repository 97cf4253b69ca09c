import { eq, sql } from "drizzle-orm";
import type { Billing } from "../../domain/billing.ts";
import type { Plan, Workspace, WorkspaceSettings } from "../workspaces.ts";
import type { Drizzle } from "./connection.ts";
import { workspaces as w } from "./schema.ts";

const p = sql.placeholder;

export function listWorkspaces(db: Drizzle): Workspace[] {
  return db.select({ id: w.id, name: w.name, createdAt: w.createdAt }).from(w).orderBy(w.createdAt, w.id).all();
}

export function prepareWorkspaces(db: Drizzle) {
  const mine = eq(w.id, p("workspaceId"));
  return {
    db,
    billing: db.select({ state: w.billingState, endsAt: w.billingEndsAt }).from(w).where(mine).prepare(),
    plan: db.select({ name: w.plan, contactAllowance: w.contactAllowance }).from(w).where(mine).prepare(),
  };
}

type Statements = ReturnType<typeof prepareWorkspaces>;

/** A workspace that is bound to a store exists: its id came from a key, a session or the list. */
function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("The workspace of this call is not in the database.");
  return row;
}

export class SqliteWorkspace implements WorkspaceSettings {
  readonly #s: Statements;
  readonly #workspaceId: string;

  constructor(statements: Statements, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async create(name: string, now: number): Promise<void> {
    this.#s.db.insert(w).values({ id: this.#workspaceId, name, createdAt: now }).run();
  }

  async billing(): Promise<Billing> {
    return present(this.#s.billing.get({ workspaceId: this.#workspaceId }));
  }

  async plan(): Promise<Plan> {
    return present(this.#s.plan.get({ workspaceId: this.#workspaceId }));
  }
}
