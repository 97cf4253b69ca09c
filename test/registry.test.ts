import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_SCOPES } from "../src/domain/scopes.ts";
import type { Operation } from "../src/operation.ts";
import { problems } from "../src/problem.ts";
import { refusalsOf } from "../src/refusals.ts";
import { inputSchema, type JsonSchema } from "../src/schemas.ts";
import { operations } from "../src/tools/index.ts";

const list = operations as readonly Operation[];

test("names are unique, snake_case, and begin with a verb", () => {
  const names = list.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)+$/);
});

test("routes are unique, and belong to the agent door alone", () => {
  const routes = list.flatMap(({ http }) => (http ? [`${http.method} ${http.path}`] : []));
  assert.equal(new Set(routes).size, routes.length);
  for (const { http, access, tool } of list) {
    if (http !== undefined || tool) assert.ok("scope" in access);
    if ("scope" in access) assert.ok(ALL_SCOPES.includes(access.scope));
  }
});

test("reads change nothing: no gate, no idempotency, and a tool that says so", () => {
  for (const { name, effect, gates, idempotent, tool, http } of list) {
    if (effect === "write") {
      assert.notEqual(http?.method, "GET", name);
      continue;
    }
    assert.deepEqual([gates.length, idempotent ?? false], [0, false], name);
    if (tool) assert.deepEqual([tool.annotations.readOnlyHint, tool.annotations.destructiveHint], [true, false]);
  }
});

test("CRM writes are never tools", () => {
  for (const { name, tool, effect, access } of list) {
    if (!tool || effect === "read") continue;
    assert.match(
      "scope" in access ? access.scope : "",
      /^(social_checklist\.(submit|record)|socialnet\.execute)$/,
      name,
    );
  }
});

test("every write of the agent door stands behind the billing gate, but for opt-outs", () => {
  for (const { name, access, effect, gates } of list) {
    if ("scope" in access && effect === "write")
      assert.equal(gates.includes("billing"), name !== "add_suppression", name);
  }
});

test("every input is an object on the wire, and its path's names are fields of it", () => {
  for (const operation of list) {
    const schema = inputSchema(operation);
    assert.equal(schema.type, "object", operation.name);
    for (const [, field] of operation.http?.path.matchAll(/\{(\w+)\}/g) ?? []) {
      assert.ok(schema.required?.includes(field as string), `${operation.name} ${field}`);
    }
  }
});

test("every field of an input says what it is", () => {
  const undescribed = (schema: JsonSchema, path: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description === undefined && field.properties === undefined && field.enum === undefined
        ? [`${path}.${name}`]
        : []),
      ...undescribed(field, `${path}.${name}`),
    ]);
  const plain = /\.(limit|offset|name)$/;
  for (const operation of list) {
    const missing = undescribed(inputSchema(operation), operation.name).filter((path) => !plain.test(path));
    assert.deepEqual(missing, []);
  }
});

test("secrets are never part of an answer that is stored for replay", () => {
  for (const { name, idempotent, output } of list) {
    const { shape = {} } = output as { shape?: Record<string, { meta(): { secret?: boolean } | undefined }> };
    if (idempotent)
      assert.ok(
        Object.values(shape).every((field) => field.meta()?.secret !== true),
        name,
      );
  }
});

test("every code of the table can be answered by something", () => {
  const answered = new Set<string>(list.flatMap(refusalsOf));
  const ofTheEdge = ["route_not_found", "method_not_allowed"];
  const unused = Object.keys(problems).filter((code) => !answered.has(code) && !ofTheEdge.includes(code));
  assert.deepEqual(unused, []);
});
