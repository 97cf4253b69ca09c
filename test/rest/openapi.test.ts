import assert from "node:assert/strict";
import { test } from "node:test";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { operations } from "../../src/tools/index.ts";
import { startServer } from "../support/server.ts";
import { matchesDescription } from "../support/snapshot.ts";
import type { JsonObject } from "../support/wire.ts";

test("the description is public, is OpenAPI 3.1 and version 1.0.0, and describes exactly the routes", async (t) => {
  const server = await startServer(t);
  const response = await fetch(`${server.base}/openapi.json`);
  assert.equal(response.status, 200);
  const description = (await response.json()) as {
    openapi: string;
    info: { version: string };
    paths: Record<string, Record<string, { operationId: string; responses: object; parameters?: { name: string }[] }>>;
  };
  assert.match(description.openapi, /^3\.1\./);
  assert.equal(description.info.version, "1.0.0");
  const described = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routed = operations.flatMap((operation) =>
    "http" in operation ? [`${operation.http.method} ${operation.http.path}`] : [],
  );
  assert.deepEqual(described.sort(), routed.sort());
  for (const [path, method] of [
    ["/contacts", "post"],
    ["/contacts/{id}", "patch"],
    ["/contacts/{id}/tags", "post"],
  ] as const) {
    const names = description.paths[path]?.[method]?.parameters?.map(({ name }) => name) ?? [];
    assert.ok(names.includes("Idempotency-Key"));
  }
  matchesDescription(description as unknown as JsonObject);
});

/** The schemas below a node with examples, each with its examples. */
function exampled(node: unknown): { schema: JsonObject; examples: unknown[] }[] {
  if (typeof node !== "object" || node === null) return [];
  const below = Object.values(node).flatMap(exampled);
  const { examples, ...schema } = node as JsonObject;
  return Array.isArray(examples) ? [{ schema, examples }, ...below] : below;
}

test("every example is valid for its schema", async (t) => {
  const server = await startServer(t);
  const description = await (await fetch(`${server.base}/openapi.json`)).json();
  const found = exampled(description);
  const samples = found.flatMap(({ examples }) => examples);
  assert.ok(samples.length >= 15, `${samples.length} examples`);
  for (const { schema, examples } of found) {
    const fits = new AjvJsonSchemaValidator().getValidator({ ...schema, components: description.components } as object);
    for (const example of examples) {
      assert.equal(fits(example).errorMessage, undefined, JSON.stringify(example));
    }
  }
});

test("a socialnet command is one of the listed commands, each with its own required fields", async (t) => {
  const server = await startServer(t);
  const { components } = await (await fetch(`${server.base}/openapi.json`)).json();
  const { oneOf } = components.schemas.SocialnetCommand;
  const required = Object.fromEntries(
    oneOf.map(({ properties, required }: JsonObject) => [(properties as any).command.const, required]),
  );
  assert.equal(Object.keys(required).length, 13);
  assert.deepEqual(required.setup, ["command"]);
  assert.deepEqual(required.claim, ["command", "actionId"]);
  assert.deepEqual(required.start, ["command", "actionId", "leaseToken"]);
  assert.equal(Object.keys(components.schemas).length, 15);
});
