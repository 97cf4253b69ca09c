/**
 * Ids are text, times integer milliseconds, so that a second engine can hold the same rows. Every table is STRICT
 * (scripts/migration.ts adds the word, which the generator does not know).
 */
export * from "./schema/checklist.ts";
export * from "./schema/connectors.ts";
export * from "./schema/contacts.ts";
export * from "./schema/crm.ts";
export * from "./schema/events.ts";
export * from "./schema/logs.ts";
export * from "./schema/people.ts";
export * from "./schema/sends.ts";
export * from "./schema/sequences.ts";
export * from "./schema/socialnet.ts";
export * from "./schema/workspaces.ts";
