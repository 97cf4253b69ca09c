import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callAsOperator } from "../../src/cli/operator.ts";
import { inputSchema } from "../../src/core/json-schema.ts";
import type { HttpRoute, Operation } from "../../src/core/operation.ts";
import { refusalsOf } from "../../src/core/policy.ts";
import { Problem, problems } from "../../src/core/problem.ts";
import { parseInput } from "../../src/core/schema.ts";
import { operations } from "../../src/tools/index.ts";
import { openBeside } from "../support/beside.ts";
import { bodies, likelyBodies } from "../support/inputs.ts";
import { type Envelope, type Reply, startServer, type TestServer } from "../support/server.ts";

const RUNS = 60;

type Input = Record<string, unknown>;

/** Sends an input with each field where the route expects it: path, query or body. */
function send(
  server: TestServer,
  key: string,
  { http }: { http: HttpRoute },
  input: Input,
  id: string,
): Promise<Reply> {
  const rest = { ...input };
  const path = http.path.replace("{id}", () => {
    const given = typeof rest.id === "string" && rest.id !== "" ? encodeURIComponent(rest.id.toWellFormed()) : id;
    delete rest.id;
    return given === "." || given === ".." ? id : given;
  });
  if (http.method !== "GET") return server.rest(http.method, path, { key, body: rest });
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(JSON.stringify(value))]),
  );
  return server.rest("GET", `${path}?${query}`, { key });
}

/** JSON that can't be converted to text or a number. */
const STUBBORN = { toString: {}, valueOf: {}, length: -1 };

/** The input with the stubborn value in place of each of its values, at any depth. */
function withEach(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [STUBBORN];
  const isList = Array.isArray(value);
  const changed = Object.entries(value).flatMap(([name, of]) =>
    withEach(of).map((other) => (isList ? Object.assign([...value], { [name]: other }) : { ...value, [name]: other })),
  );
  return [STUBBORN, ...changed];
}

test("any value in any field is accepted or refused, and no validation rule throws", () => {
  for (const operation of operations as readonly Operation[]) {
    const schema = inputSchema(operation);
    const { examples = [] } = schema as { examples?: unknown[] };
    const inputs = [...examples, ...fc.sample(likelyBodies(schema), { numRuns: 5, seed: 1 })];
    for (const input of inputs.flatMap(withEach)) {
      try {
        parseInput(operation, {}, input);
      } catch (refusal) {
        assert.ok(
          refusal instanceof Problem,
          `${operation.name} ${JSON.stringify(input)}: ${(refusal as Error).stack}`,
        );
      }
    }
  }
});

/** One server for all operations, each with its own workspace, so that they don't affect each other. */
test("any input", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const count = db.prepare("SELECT count(*) FROM operation_log").pluck();

  for (const operation of operations as readonly Operation[]) {
    const refusals = refusalsOf(operation);
    const { http } = operation;
    if (http !== undefined) {
      await t.test(
        `${operation.name} answers with a declared status, never a 500, and writes only on success`,
        async () => {
          const { key } = await server.neighbour();
          const contact = await server.rest("POST", "/contacts", { key, body: { email: "first@b.example" } });
          const declared = new Set<number>([...http.statuses, ...refusals.map((code) => problems[code].status)]);
          await fc.assert(
            fc.asyncProperty(bodies(inputSchema(operation)), async (input) => {
              const before = count.get() as number;
              const reply = await send(server, key, { http }, input, contact.body.data.id);
              assert.ok(declared.has(reply.status) && reply.status < 500, `${reply.status} ${reply.text}`);
              const succeeded = reply.status < 300;
              if (!succeeded) assert.ok(refusals.includes(reply.body.code as never), reply.text);
              assert.equal(count.get(), before + Number(succeeded && operation.effect === "write"));
              if (succeeded) assert.doesNotThrow(() => operation.output.parse(reply.body.data));
            }),
            { numRuns: RUNS },
          );
        },
      );
      continue;
    }
    await t.test(`${operation.name} answers the local operator without a 500, and writes only on success`, async () => {
      const { workspaceId } = await server.neighbour();
      await fc.assert(
        fc.asyncProperty(bodies(inputSchema(operation)), async (input) => {
          const before = count.get() as number;
          const answer = await callAsOperator(server.running, operation.name, workspaceId, input);
          const { data, code } = JSON.parse(answer.body) as Envelope;
          assert.ok(answer.status < 500, answer.body);
          const succeeded = answer.refusal === undefined;
          if (succeeded) assert.doesNotThrow(() => operation.output.parse(data));
          else assert.ok(refusals.includes(code as never), answer.body);
          assert.equal(count.get(), before + Number(succeeded && operation.effect === "write"));
        }),
        { numRuns: RUNS },
      );
    });
  }
});
