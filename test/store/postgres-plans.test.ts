import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { connectionConfig } from "../../src/store/postgres/connect.ts";
import { type Executor, postgresDb, type Query } from "../../src/store/postgres/db.ts";
import { StatementText } from "../../src/store/postgres/statement-text.ts";
import { makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { idOf, NOON } from "./conformance/fixtures.ts";
import { makeEveryStatement } from "./every-statement.ts";
import { fillLarge } from "./large.ts";

/** Tables with fewer rows may be read whole. */
const LARGE = 3_000;

let client: pg.Client;
const cleanups: (() => unknown)[] = [];
const large = new Set<string>();

before(async () => {
  const folder = temporaryFolder({ after: (cleanup: () => void) => cleanups.push(cleanup) } as never);
  client = new pg.Client(connectionConfig(await makeDatabase(folder), false));
  await client.connect();
  cleanups.push(() => client.end());
  await fillLarge(client);
  const { rows } = await client.query<{ name: string }>("SELECT relname AS name FROM pg_class WHERE reltuples >= $1", [
    LARGE,
  ]);
  for (const { name } of rows) large.add(name);
});
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Node[];
}

/** A statement as it is sent, and its values. */
interface Sent {
  text: string;
  values: string[];
}

/** Values of parameters, where the planner's estimate depends on them. */
const VALUES: Readonly<Record<string, string>> = {
  limit: "25",
  offset: "0",
  most: "50",
  keep: "1000",
  now: String(NOON),
  before: String(NOON - 30 * 86_400_000),
  since: String(NOON - 86_400_000),
  created: String(NOON - 90 * 86_400_000),
  seen: String(NOON - 90 * 86_400_000),
  unused: String(NOON - 90 * 86_400_000),
  from: String(NOON - 86_400_000),
  to: String(NOON),
  seq: "7",
  last: "7",
  below: "7",
  source: "import",
  status: "planned",
  stage: "proposal",
  tag: "t7",
  company: "Company 7",
  email: "p7@x.example",
  emailKey: "p7@x.example",
  addressKey: "p7@x.example",
  socialnetKey: "socialnet.example/in/p7",
  recipientKey: "socialnet.example/in/p7",
  profileKey: "socialnet.example/in/p7",
  host: "hook7.example",
  event: "socialnet.work.available",
  kind: "message",
  action: "approve_sequence",
  code: "scope_denied",
  mailbox: "inbox",
  itemId: "ON-07",
  hash: "\\x07",
  givenBy: String(NOON),
  begunBy: String(NOON),
  kept: "7",
  isApproval: "1",
  stated: "1",
};

/** An id, a number and a time as far as the server is concerned, whatever the parameter's type. */
function standInFor(name: string): string {
  const known = VALUES[name];
  if (known !== undefined) return known;
  if (/^workspaceId$/.test(name)) return idOf(2);
  if (/At$|For$|Since$|Until$|^(at|until|revoked|over)$/.test(name)) return String(NOON);
  if (NUMBER.test(name)) return "7";
  return /Id$|^id$/.test(name) ? idOf(7) : "x";
}

const NUMBER =
  /(Ms|Seq|Cap|Allowance|Messages|Requests|Count|Outbound|Step)$|^(uid|count|newest|value|probability|step|attempts|rowsDone|updated|unchanged|rejected|announced|first|unread)$/;

/** The name of a placeholder of a query builder; undefined for a literal. */
function nameOf(param: unknown): string | undefined {
  const { name, value } = (param ?? {}) as { name?: unknown; value?: { name?: unknown } };
  const found = typeof name === "string" ? name : value?.name;
  return typeof found === "string" ? found : undefined;
}

async function everyStatement(): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  const note = (text: string, values: string[]) => {
    if (/^insert/i.test(text) && !/select/i.test(text)) return;
    for (const [, object, at] of text.matchAll(/(json_each_text\()?\$(\d+)(?:::text)?::json/g))
      values[Number(at) - 1] = object === undefined ? '["7"]' : '{"7": "7"}';
    sent.set(text, { text, values });
  };
  const nothing = { rows: [], rowCount: 1 } as unknown as pg.QueryResult;
  // What is read decides which statements are made; nothing is written.
  const executor: Executor = {
    query: async (query: Query) => (/^\s*(select|with)/i.test(query.text) ? client.query(query as never) : nothing),
    iterate: async () => undefined,
  };
  const db = postgresDb(executor);
  const ofText = (text: string) => {
    const named = Object.fromEntries([...text.matchAll(/@(\w+)/g)].map(([, name = ""]) => [name, standInFor(name)]));
    const { text: written, values } = new StatementText(text).with(named);
    note(written.replace(/(\$\d+)::text/g, "$1"), values as string[]);
  };
  await makeEveryStatement({
    ...db,
    query(query) {
      const { sql, params } = query.toSQL() as unknown as { sql: string; params: unknown[] };
      const values = params.map((param) => {
        const name = nameOf(param);
        return name === undefined ? (param as string) : standInFor(name);
      });
      note(sql, values);
      return db.query(query);
    },
    sql(text) {
      ofText(text);
      return db.sql(text);
    },
    value(text) {
      ofText(text);
      return db.value(text);
    },
  });
  return [...sent.values()];
}

/** A plan. Parameters get a type where the server can't tell it, or takes a number for text. */
async function planOf({ text, values }: Sent): Promise<Node> {
  const typed = (type: string, is: (at: number) => boolean) =>
    planOf({
      text: text.replace(/\$(\d+)\b(?!::)/g, (param, at) => (is(at - 1) ? `${param}::${type}` : param)),
      values,
    });
  try {
    const { rows } = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values });
    return rows[0]["QUERY PLAN"][0].Plan;
  } catch (error) {
    const { message, code = "" } = error as { message: string; code?: string };
    const [, unknown] = /determine data type of parameter \$(\d+)/.exec(message) ?? [];
    if (unknown !== undefined) return typed("text", (at) => at === Number(unknown) - 1);
    const isMismatch = ["42804", "42883", "42725", "42P08"].includes(code);
    if (isMismatch && !text.includes("::bigint")) return typed("bigint", (at) => /^\d+$/.test(values[at] ?? ""));
    throw new Error(`${text}\n${values}`, { cause: error });
  }
}

/** Indexes of the few rows that wait: reading one whole is reading what is to be done. */
const WAITING = /^deliveries_(oldest|due|host|subscription)$/;

/** Statements that read a large table whole, and why they may. */
const ALLOWED: readonly [table: string, words: string, reason: string][] = [
  ["sends", "EXISTS (SELECT 1 FROM sends)", "one row is enough"],
  [
    "deliveries",
    "FROM deliveries d WHERE d.workspace_id = $1  ORDER BY d.seq DESC",
    "newest first, until a page is full",
  ],
];

/** Reads a large table whole: in its own order, or along an index that has no condition. */
function scans(node: Node, isFirstOnly = false): Node[] {
  const { "Node Type": type, "Relation Name": table = "", "Index Name": index = "", Plans = [] } = node;
  const isWhole = type === "Seq Scan" || (/^Index/.test(type) && node["Index Cond"] === undefined);
  // The first rows of all are taken, whatever they are.
  const isBounded = isFirstOnly && node.Filter === undefined;
  const found = Plans.flatMap((plan) => scans(plan, type === "Limit" || (isFirstOnly && type === "LockRows")));
  return isWhole && large.has(table) && !isBounded && !WAITING.test(index) ? [node, ...found] : found;
}

test("no statement of the store reads a large table whole", async () => {
  const statements = await everyStatement();
  assert.ok(statements.length > 400, `${statements.length} statements`);
  const found: string[] = [];
  const allowed = new Set<string>();
  for (const sent of statements) {
    for (const { "Relation Name": table = "", "Node Type": type } of scans(await planOf(sent))) {
      const exception = ALLOWED.find(([of, words]) => of === table && sent.text.includes(words));
      if (exception === undefined) found.push(`${type} of ${table}:\n${sent.text}\n${sent.values}`);
      else allowed.add(exception[1]);
    }
  }
  assert.deepEqual(found, []);
  assert.deepEqual(
    ALLOWED.filter(([, words]) => !allowed.has(words)),
    [],
    "allowed for nothing",
  );
});
