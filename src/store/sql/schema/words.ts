import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceId } from "./access.ts";

/**
 * The words of companies, deals, sequences and posts, in lower case and without accents. Contacts have an index of their
 * own, which differs between engines: see the migration that creates this table.
 */
export const recordWords = sqliteTable(
  "record_words",
  {
    workspaceId: workspaceId(),
    kind: text({ enum: ["account", "deal", "sequence", "post"] }).notNull(),
    word: text().notNull(),
    recordId: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.kind, t.word, t.recordId] }),
    index("record_words_record").on(t.recordId, t.kind, t.word),
  ],
);

/** Records whose words are still to be indexed, which the job `index_words` does. */
export const wordsDue = sqliteTable("words_due", { kind: text().notNull(), recordId: text().notNull() }, (t) => [
  primaryKey({ columns: [t.kind, t.recordId] }),
]);
