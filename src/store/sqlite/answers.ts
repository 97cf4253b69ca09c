import { eq, sql } from "drizzle-orm";
import type { Answers, StoredAnswer } from "../logs.ts";
import type { Drizzle } from "./connection.ts";
import { answers } from "../sql/schema/index.ts";

const p = sql.placeholder;

export function prepareAnswers(db: Drizzle) {
  return {
    find: db
      .select({ status: answers.status, body: answers.body })
      .from(answers)
      .where(eq(answers.hash, p("hash")))
      .prepare(),
    insert: db
      .insert(answers)
      .values({ hash: p("hash"), status: p("status"), body: p("body"), createdAt: p("now") })
      .prepare(),
  };
}

/** The workspace is part of the hash, so these need no other binding. */
export class SqliteAnswers implements Answers {
  readonly #s: ReturnType<typeof prepareAnswers>;

  constructor(statements: ReturnType<typeof prepareAnswers>) {
    this.#s = statements;
  }

  async find(hash: Buffer): Promise<StoredAnswer | undefined> {
    return this.#s.find.get({ hash });
  }

  async insert(hash: Buffer, answer: StoredAnswer, now: number): Promise<void> {
    this.#s.insert.run({ ...answer, hash, now });
  }
}
