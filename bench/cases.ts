import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import { databaseFile } from "../src/lib/data-folder.ts";
import { httpRequest, type NextRequest } from "./load.ts";
import type { Seed } from "./seed.ts";

export const SERVERS = {
  rostrum: { script: "rostrum", args: [] },
  before: { script: "rostrum", args: [] },
  floor: { script: "floor", args: [] },
  "rostrum, a transaction each": { script: "rostrum", args: ["each"] },
  "floor, a transaction each": { script: "floor", args: ["each"] },
  "SDK as its guide shows": { script: "sdk-guide", args: [] },
} as const;

/** Two gateways on one database of PostgreSQL have no script of their own. */
export type ServerName = keyof typeof SERVERS | "two gateways";

/** The target of a case: a multiple of another server's requests per second, or a bound on CPU time. */
export type Target = { against: ServerName; atLeast: number } | { cpuBelow: number };

export interface Case {
  name: string;
  title: string;
  /** Rostrum first. */
  servers: readonly ServerName[];
  targets: readonly Target[];
  next: NextRequest;
  /** Its servers share a database. */
  oneDatabase?: boolean;
}

export interface Sample {
  id: string;
  /** The API key of its workspace. */
  key: string;
  email: string;
  company: string;
}

/** Live contacts spread over the whole table. */
export function sampleOf(seed: Seed): Sample[] {
  const db = new Database(databaseFile(seed.folder), { readonly: true });
  const step = Math.max(1, Math.floor(seed.contacts / 20_000));
  const sample = db
    .prepare<[number], Omit<Sample, "key"> & { workspace: string }>(
      `SELECT id, workspace_id AS workspace, email, company FROM contacts
       WHERE seq % ? = 0 AND archived_at IS NULL AND email IS NOT NULL AND company IS NOT NULL`,
    )
    .all(step);
  db.close();
  return shuffled(sample.map(({ workspace, ...row }) => ({ ...row, key: seed.keys[workspace] as string })));
}

/** The same order at every run. */
function shuffled<T>(rows: T[]): T[] {
  const order = rows.map((row, i) => ({ row, place: (i * 7_919) % 104_729 }));
  return order.sort((a, b) => a.place - b.place).map(({ row }) => row);
}

/** Cycles through the given prepared requests. */
export function round(requests: string[]): NextRequest {
  const bytes = requests.map((request) => Buffer.from(request));
  let at = 0;
  return () => bytes[at++ % bytes.length] as Buffer;
}

export const PROTOCOL = "2026-07-28";
export const EARLIER_PROTOCOL = "2025-11-25";

/** @param compared whether another commit of Rostrum is measured too, as `before` */
export function casesFor(seed: Seed, compared = false): Case[] {
  const cases = casesOf(seed);
  if (!compared) return cases;
  return cases.map((tested) => {
    const [own, ...others] = tested.servers;
    return { ...tested, servers: [own as ServerName, "before", ...others] };
  });
}

const CONTACTS = "/api/v1/contacts";
export const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  accept: "application/json",
  "user-agent": "rostrum-bench",
});

/** Creates contacts with one key after the other. */
export function creating(keys: readonly string[]): NextRequest {
  return newContacts((contact, unique, made) => {
    const headers = {
      ...headersOf(keys[made % keys.length] as string),
      "content-type": "application/json",
      "idempotency-key": unique,
    };
    return httpRequest("POST", CONTACTS, headers, JSON.stringify(contact));
  });
}

/** Requests that each create another contact. */
export function newContacts(requestFor: (contact: object, unique: string, made: number) => string): NextRequest {
  const nonce = randomUUID().slice(0, 8);
  let made = 0;
  return () => {
    made += 1;
    const contact = {
      email: `new.${nonce}.${made}@analytical-engines.example`,
      first_name: "Ada",
      last_name: "Lovelace",
      company: "Analytical Engines",
      job_title: "Engineer",
    };
    return requestFor(contact, `${nonce}-${made}`, made);
  };
}

/** Where a message of MCP goes, and in which version of the protocol. */
export interface McpTarget {
  key: string;
  /** The newest version, or an earlier one. */
  modern: boolean;
  path?: string;
  /** Within a session, two requests at a time must not share one. */
  id?: number;
  headers?: Record<string, string>;
}

const RPC = "/api/v1/mcp";

export function mcpRequest(to: McpTarget, method: string, params: Record<string, unknown>): string {
  const { key, modern, path = RPC, id = 1 } = to;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = {
    ...headersOf(key),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": modern ? PROTOCOL : EARLIER_PROTOCOL,
    ...(modern ? { "mcp-method": method } : {}),
    ...(modern && typeof params.name === "string" ? { "mcp-name": params.name } : {}),
    ...to.headers,
  };
  const message = { jsonrpc: "2.0", id, method, params: { ...params, ...(modern ? { _meta } : {}) } };
  return httpRequest("POST", path, headers, JSON.stringify(message));
}

export const callingContact = (to: McpTarget, id: string) =>
  mcpRequest(to, "tools/call", { name: "get_contact", arguments: { id } });

export const listingTools = (to: McpTarget) => mcpRequest(to, "tools/list", {});

function casesOf(seed: Seed): Case[] {
  const sample = sampleOf(seed);
  const keys = Object.values(seed.keys);
  const jsonOf = (key: string) => ({ ...headersOf(key), "content-type": "application/json" });
  const base = CONTACTS;
  const nonce = randomUUID().slice(0, 8);
  let made = 0;

  const assert = () => {
    made += 1;
    const { email, key } = sample[made % sample.length] as Sample;
    return httpRequest(
      "PUT",
      `${base}/assert`,
      jsonOf(key),
      JSON.stringify({ email, job_title: `Engineer ${nonce} ${made}` }),
    );
  };

  const call = (modern: boolean) => round(sample.map(({ id, key }) => callingContact({ key, modern }, id)));

  const both = ["rostrum", "floor"] as const;
  const guided = [...both, "SDK as its guide shows"] as const;
  const ofFloor = (atLeast: number): Target => ({ against: "floor", atLeast });
  const ofGuide: Target = { against: "SDK as its guide shows", atLeast: 6 };

  return [
    {
      name: "get",
      title: "GET one contact",
      servers: both,
      targets: [ofFloor(0.85)],
      next: round(sample.map(({ id, key }) => httpRequest("GET", `${base}/${id}`, headersOf(key)))),
    },
    {
      name: "list",
      title: "GET a page of 25, exact total",
      servers: both,
      targets: [ofFloor(0.9)],
      next: round(keys.map((key) => httpRequest("GET", `${base}?limit=25`, headersOf(key)))),
    },
    {
      name: "query",
      title: "Query by company, exact total",
      servers: both,
      targets: [ofFloor(0.9)],
      next: round(
        sample.map(({ company, key }) =>
          httpRequest("POST", `${base}/query`, jsonOf(key), JSON.stringify({ filter: { company } })),
        ),
      ),
    },
    {
      name: "call",
      title: `MCP tools/call get_contact, ${PROTOCOL}`,
      servers: guided,
      targets: [ofFloor(0.33), ofGuide],
      next: call(true),
    },
    {
      name: "call-earlier",
      title: `MCP tools/call get_contact, ${EARLIER_PROTOCOL}`,
      servers: guided,
      targets: [ofFloor(0.33), ofGuide],
      next: call(false),
    },
    {
      name: "tools",
      title: `MCP tools/list, ${PROTOCOL}`,
      servers: both,
      targets: [{ cpuBelow: 300 }],
      next: round([listingTools({ key: seed.key, modern: true })]),
    },
    {
      name: "create",
      title: "Create a contact",
      servers: [...both, "rostrum, a transaction each", "floor, a transaction each"],
      targets: [ofFloor(0.7), { against: "rostrum, a transaction each", atLeast: 2 }],
      next: creating(keys),
    },
    {
      name: "assert",
      title: "Assert a new value of a contact",
      servers: both,
      targets: [ofFloor(0.7)],
      next: assert,
    },
  ];
}
