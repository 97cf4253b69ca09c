import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { diffLines } from "diff";
import { signature } from "./signature.ts";
import { digest, isObject, type Json, type JsonObject } from "./wire.ts";

const FOLDER = new URL("../wire/", import.meta.url);

/** The snapshot of one tool, route, schema or event; its digest covers the whole. */
type Snapshot = { digest: string } & { [field: string]: Json };

/** Compares the answer of `tools/list` with test/wire/tools. UPDATE_SNAPSHOTS=1 rewrites the files. */
export function matchesTools(tools: JsonObject[]): void {
  const files = namedFiles("tools", tools, (tool) => {
    const { name, title, annotations, inputSchema, outputSchema } = tool;
    return snapshot(tool, { name, title, annotations, input: fields(inputSchema), output: fields(outputSchema) });
  });
  compareFiles(["tools"], { ...files, "tools.json": namesOf(tools) });
}

/** Compares the answer of `events/list` with test/wire/events. */
export function matchesEvents(events: JsonObject[]): void {
  const files = namedFiles("events", events, (event) => {
    const { name, delivery, inputSchema, payloadSchema } = event;
    return snapshot(event, { name, delivery, arguments: fields(inputSchema), payload: fields(payloadSchema) });
  });
  compareFiles(["events"], { ...files, "events.json": namesOf(events) });
}

/** Compares the OpenAPI description with test/wire/openapi.json, test/wire/routes and test/wire/schemas. */
export function matchesDescription({ paths, components, ...rest }: JsonObject): void {
  const { schemas, ...otherComponents } = components as { schemas: { [name: string]: JsonObject } } & JsonObject;
  const routes = Object.entries(paths as { [path: string]: { [method: string]: JsonObject } }).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: operation.operationId as string,
      method,
      path,
      operation,
    })),
  );
  const { info, tags } = rest;
  compareFiles(["routes", "schemas"], {
    ...namedFiles("routes", routes, ({ method, path, operation }) => routeSnapshot(method, path, operation)),
    ...namedFiles("schemas", namedSchemas(schemas), ({ name, schema }) =>
      snapshot(schema, { name, fields: signature(schema) }),
    ),
    "openapi.json": snapshot(
      { ...rest, ...otherComponents },
      {
        openapi: rest.openapi,
        info,
        servers: rest.servers,
        tags: namesOf(tags as JsonObject[]),
        routes: namesOf(routes),
      },
    ),
  });
}

const namedSchemas = (schemas: { [name: string]: JsonObject }) =>
  Object.entries(schemas).map(([name, schema]) => ({ name, schema }));

function routeSnapshot(method: string, path: string, operation: JsonObject): Snapshot {
  const parameters = (operation.parameters ?? []) as JsonObject[];
  const inlined = (place: string) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) return undefined;
    const required = here.filter((parameter) => parameter.required).map(({ name }) => name as string);
    const properties = Object.fromEntries(here.map(({ name, schema }) => [name as string, schema as Json]));
    return signature({ type: "object", properties, required });
  };
  const responses = Object.entries(operation.responses as { [status: string]: JsonObject });
  const success = responses.find(([status]) => status.startsWith("2"))?.[1];
  return snapshot(operation, {
    operation: operation.operationId,
    method: method.toUpperCase(),
    path,
    scope: operation["x-scope"],
    pathParameters: inlined("path"),
    query: inlined("query"),
    headers: inlined("header"),
    body: isObject(operation.requestBody) ? fields(contentOf(operation.requestBody)) : undefined,
    response: fields(contentOf(success)),
    statuses: Object.fromEntries(responses.map(([status, response]) => [status, meaningOf(response)])),
  });
}

const contentOf = (message: JsonObject | undefined) =>
  (message?.content as { [type: string]: { schema: JsonObject } } | undefined)?.["application/json"]?.schema;

/** The codes of a refusal, or its description if it has none. */
const meaningOf = (response: JsonObject): Json => codesOf(response).join(", ") || (response.description as Json);

/** The codes that a refusal's schema allows. */
function codesOf(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(codesOf);
  if (!isObject(value)) return [];
  const { code } = value;
  if (isObject(code) && Array.isArray(code.enum)) return code.enum as string[];
  return Object.values(value).flatMap(codesOf);
}

const fields = (schema: Json | undefined) => (isObject(schema) ? signature(schema) : undefined);
const namesOf = (list: { name?: Json }[]): Json => list.map(({ name }) => name ?? null);

/** The fields that a reviewer sees, and the digest of the whole. */
function snapshot(whole: Json, shown: { [field: string]: Json | undefined }): Snapshot {
  const given = Object.entries(shown).filter((field): field is [string, Json] => field[1] !== undefined);
  return { ...Object.fromEntries(given), digest: digest(whole) };
}

function namedFiles<T extends { name?: Json }>(folder: string, list: readonly T[], show: (one: T) => Snapshot) {
  return Object.fromEntries(list.map((one) => [`${folder}/${one.name}.json`, show(one)]));
}

/** Compares the files with those in test/wire; with UPDATE_SNAPSHOTS=1, writes them and deletes every other. */
function compareFiles(folders: readonly string[], files: { [file: string]: Json }): void {
  const texts = new Map(Object.entries(files).map(([file, value]) => [file, `${JSON.stringify(value, null, 2)}\n`]));
  for (const folder of folders) mkdirSync(new URL(folder, FOLDER), { recursive: true });
  const kept = folders.flatMap((folder) => readdirSync(new URL(folder, FOLDER)).map((name) => `${folder}/${name}`));
  const stale = kept.filter((file) => !texts.has(file));
  if (process.env.UPDATE_SNAPSHOTS === "1") {
    for (const [file, text] of texts) writeFileSync(new URL(file, FOLDER), text);
    for (const file of stale) rmSync(new URL(file, FOLDER));
    return;
  }
  const changes = [
    ...[...texts].flatMap(([file, text]) => changeOf(file, text)),
    ...stale.map((file) => `test/wire/${file}: no longer on the wire`),
  ];
  assert.ok(changes.length === 0, `The wire changed.\n\n${changes.join("\n\n")}\n\n${HINT}`);
}

const HINT =
  "If that is meant, run the test again with UPDATE_SNAPSHOTS=1 and review the files.\n" +
  "To see every difference, run `npm run --silent wire > before.json` on the commit before,\n" +
  "then `npm run wire -- --compare before.json` here.";

function changeOf(file: string, text: string): string[] {
  const url = new URL(file, FOLDER);
  if (!existsSync(url)) return [`test/wire/${file}: new on the wire\n${marked("+", text)}`];
  const before = readFileSync(url, "utf8");
  if (before === text) return [];
  const changed = diffLines(before, text)
    .filter(({ added, removed }) => added || removed)
    .map(({ added, value }) => ({ sign: added ? "+" : "-", value }));
  const digestOnly = changed.every(({ value }) => /^ +"digest": "\w+"\n$/.test(value));
  if (digestOnly) {
    return [`test/wire/${file}: digest changed; signature same (a description, a bound or a deeper field)`];
  }
  return [`test/wire/${file}:\n${changed.map(({ sign, value }) => marked(sign, value)).join("\n")}`];
}

const marked = (sign: string, text: string) => text.trimEnd().replaceAll(/^/gm, `${sign} `);
