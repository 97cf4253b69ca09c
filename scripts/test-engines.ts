/** Which test files run on which engine. */

export type Engine = "sqlite" | "postgres";

/** Files that do not run on PostgreSQL, and why. */
const NOT_ON_POSTGRES: readonly [path: RegExp, reason: string][] = [
  [/^(domain|http-client)\//, "never touches the store"],
  [
    /^(registry|checklist\/(shipped-catalog|catalog-file)|console\/(formats|status)|core\/messages|docs\/links)\./,
    "never touches the store",
  ],
  [/^cli\/(csv-columns|csv-file|settings|terminal)\./, "never touches the store"],
  [/^mail\/(incoming|message|outcomes|unsubscribe)\./, "never touches the store"],
  [/^workers\/(host-queues|shared-commit|supervisor)\./, "never touches the store"],
  [/^store\/schema-drift\./, "compares the migrations of both engines"],
  [
    /^store\/(sqlite|schema|snapshot|migrate|maintenance|writer|instance|disk)\./,
    "tests SQLite's file, writer or threads",
  ],
  [/^store\/plans\./, "reads SQLite's plans, as store/postgres-plans reads PostgreSQL's"],
  [/^store\/unavailable\./, "damages SQLite's file; store/postgres-faults stops and fills a server"],
  [/^store\/bench-rows\./, "the console bench writes to SQLite's file"],
  [/^cli\/doctor\./, "damages SQLite's file; cli/postgres-doctor looks at PostgreSQL"],
  [/^cli\/backup\./, "backs up SQLite; PostgreSQL has pg_dump"],
];

/** What is PostgreSQL's own. */
const POSTGRES_OWN = /\bpostgres\b[^/]*\.ts$/;

export function runsOn(engine: Engine, file: string): boolean {
  if (engine === "sqlite") return !POSTGRES_OWN.test(file);
  return !NOT_ON_POSTGRES.some(([path]) => path.test(file));
}

/** The files that do not run on PostgreSQL, by reason. */
export function notOnPostgres(files: readonly string[]): Map<string, string[]> {
  const byReason = new Map<string, string[]>();
  for (const [path, reason] of NOT_ON_POSTGRES) {
    const found = files.filter((file) => path.test(file)).map((file) => file.replace(/\.test\.ts$/, ""));
    if (found.length === 0) throw new Error(`No test file fits ${path}.`);
    byReason.set(reason, [...(byReason.get(reason) ?? []), ...found]);
  }
  return byReason;
}
