/**
 * The tables of every engine. Ids are text and times are integer milliseconds, so that each engine holds the same rows.
 * On SQLite every table is STRICT: scripts/migration.ts adds the keyword, which the generator does not know.
 */
export * from "./access.ts";
export * from "./checklist.ts";
export * from "./contacts.ts";
export * from "./counts.ts";
export * from "./events.ts";
export * from "./inbox.ts";
export * from "./logs.ts";
export * from "./outreach.ts";
export * from "./socialnet.ts";
export * from "./words.ts";
