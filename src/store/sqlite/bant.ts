import { sql } from "drizzle-orm";
import type { BantAssessment, BantAssessments } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";
import { bantAssessments } from "../sql/schema/index.ts";

const p = sql.placeholder;

export function prepareBant(db: Drizzle) {
  return {
    insert: db
      .insert(bantAssessments)
      .values({
        id: p("id"),
        workspaceId: p("workspaceId"),
        contactId: p("contactId"),
        answers: p("answers"),
        confirmedBy: p("confirmedBy"),
        confirmedAt: p("confirmedAt"),
        createdAt: p("createdAt"),
      })
      .prepare(),
  };
}

export class SqliteBant implements BantAssessments {
  readonly #s: ReturnType<typeof prepareBant>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareBant>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(assessment: BantAssessment): Promise<void> {
    this.#s.insert.run({ ...assessment, workspaceId: this.#workspaceId });
  }
}
