import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { DRAFTED, DRAFTED_BY, type RawItem, rawCatalog, rawItem } from "./catalog.ts";
import {
  type Reply,
  type Request,
  type ServerOptions,
  startServer,
  type TestServer,
  temporaryFolder,
} from "./server.ts";

const SEEN = { automation: "auto" };
const SEEN_BY = { evidence_verdict: "observation", person_action: "none", runner: "assistant" };
const TOLD = { automation: "auto" };
const TOLD_BY = { evidence_verdict: "service", person_action: "none", runner: "service" };

export const drafted = (id: string, priority: number, changes = {}, executor = {}) =>
  rawItem(id, { ...DRAFTED, ...changes }, { ...DRAFTED_BY, priority, ...executor });
export const observed = (id: string, priority: number, changes = {}, executor = {}) =>
  rawItem(id, { ...SEEN, ...changes }, { ...SEEN_BY, priority, ...executor });
export const detected = (id: string, priority: number, check: object, changes = {}) =>
  rawItem(id, { ...TOLD, detected_by: check, ...changes }, { ...TOLD_BY, priority });
export const personal = (id: string, priority: number, executor = {}) => rawItem(id, {}, { priority, ...executor });

const BOTH = { accepts_output_kinds: ["social_post", "document"] };

/** A small catalog with an item of every kind. */
export const ITEMS: readonly RawItem[] = [
  drafted("OT-01", 20, BOTH),
  observed("OT-02", 30),
  personal("OT-03", 10, { dependencies: ["OT-02"] }),
  observed("OT-04", 1, {}, { test_first: true }),
  drafted("OT-05", 2, {}, { replaced_by: "OT-01" }),
  detected("OT-06", 60, { check: "brand_voice_saved" }),
  observed("OT-07", 3, {}, { replaced_by: "OT-02" }),
  drafted("ON-01", 20, { accepts_output_kinds: ["social_post"] }),
  observed("ON-02", 25),
  observed("ON-03", 26, { frequency: "monthly", detected_by: { check: "recent_posts", count: 1, days: 7 } }),
  observed("ON-04", 4, { frequency: "with_every_post" }),
  drafted("ON-05", 5, { frequency: "as_needed" }),
  drafted("ON-06", 40, { ...BOTH, frequency: "daily" }),
];

type Options = ServerOptions & { items?: readonly RawItem[]; file?: string };

/** A file with these items. */
export function catalogFile(t: Pick<TestContext, "after">, items: readonly RawItem[]): string {
  const file = join(temporaryFolder(t), "catalog.yaml");
  writeFileSync(file, JSON.stringify(rawCatalog(...items)));
  return file;
}

/** A server with the small catalog, or another one. */
export async function startChecklist(
  t: Pick<TestContext, "after">,
  { items = ITEMS, file = catalogFile(t, items), ...options }: Options = {},
): Promise<TestServer> {
  return startServer(t, { ...options, env: { ROSTRUM_CHECKLIST_CATALOG: file, ...options.env } });
}

export const itemPath = (id: string) => `/social/checklist/items/${id}`;

export function submit(server: TestServer, id: string, body: object, request: Request = {}): Promise<Reply> {
  return server.rest("POST", `${itemPath(id)}/submissions`, { ...request, body });
}

export function record(server: TestServer, id: string, body: object, request: Request = {}): Promise<Reply> {
  return server.rest("POST", `${itemPath(id)}/evidence`, { ...request, body });
}

export const DOCUMENT = { output_kind: "document", title: "Who answers", body: "Ada answers; Grace stands in." };
export const POST = { output_kind: "social_post", body: "What we learned this week." };
export const SAW = { status: "done", evidence: "The banner shows the new logo." };

/** Submits a document, and returns the id of its card. */
export async function newCard(server: TestServer, id = "OT-01", body: object = DOCUMENT): Promise<string> {
  return (await submit(server, id, body)).body.data.card_id;
}

export async function newPost(server: TestServer, id = "OT-01", body: object = POST): Promise<string> {
  return (await submit(server, id, body)).body.data.post_id;
}

/** The entry of an item in the list. */
export async function entryOf(server: TestServer, id: string): Promise<any> {
  const { data } = (await server.rest("GET", "/social/checklist/items?limit=100")).body;
  return data.find((entry: any) => entry.id === id);
}

/** What is due, by id and reason. */
export async function dueOf(server: TestServer): Promise<[string, string][]> {
  const { data } = (await server.rest("GET", "/social/checklist/due?limit=100")).body;
  return data.map((entry: any) => [entry.id, entry.due_reason]);
}
