import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/tools/index.ts";
import { startServer } from "../support/server.ts";
import { matchesDescription } from "../support/snapshot.ts";
import type { JsonObject } from "../support/wire.ts";

test("the description is open to all, is OpenAPI 3.1 and version 1.0.0, and describes every route and no other", async (t) => {
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
