import { z } from "zod";
import { Failure, Refusal } from "../core/envelope.ts";
import { type JsonSchema, namedSchemas } from "../core/json-schema.ts";
import { AREAS, type HttpRoute, isRouted, type Operation, pathNames, type Routed } from "../core/operation.ts";
import { refusalsOf } from "../core/policy.ts";
import { isBare, type ProblemCode, problems } from "../core/problem.ts";
import { API_PREFIX } from "../http/server.ts";

const SCHEMAS = "#/components/schemas/";
const API_VERSION = "1.0.0";

/** The description of exactly the operations that have a route, OpenAPI 3.1. */
export function openApi(operations: readonly Operation[]): Record<string, unknown> {
  const components: Record<string, JsonSchema> = {};
  const use = (schema: z.ZodType, io: "input" | "output"): JsonSchema => {
    const { schema: json, named } = namedSchemas(schema, io, SCHEMAS);
    Object.assign(components, named);
    return json;
  };
  use(z.array(Failure), "output");

  const routed = operations.filter(isRouted);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of routed) {
    const method = operation.http.method.toLowerCase();
    paths[operation.http.path] = { ...paths[operation.http.path], [method]: describe(operation, use, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Rostrum API",
      version: API_VERSION,
      description:
        "A gateway for sales and social marketing: agents propose, people approve. Every response is one envelope, " +
        "`{ data, error }`. Every refusal has a stable `code`. A key belongs to one workspace and sees nothing else.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: API_PREFIX, description: "This server." }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routed.map(({ area }) => area))].map((name) => ({ name, description: AREAS[name] })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "A workspace API key: `ros_live_…`." },
      },
      schemas: components,
    },
  };
}

function describe(
  operation: Routed,
  use: (schema: z.ZodType, io: "input" | "output") => JsonSchema,
  components: Record<string, JsonSchema>,
): Record<string, unknown> {
  const { http, access } = operation;
  const input = use(http.describedBody ?? operation.input, "input");
  const inPath = pathNames(operation);
  const rest = without(input, inPath);
  const parameters: unknown[] = inPath.map((name) => parameter("path", name, input));
  if (http.method === "GET") {
    parameters.push(...Object.keys(rest.properties ?? {}).map((name) => parameter("query", name, rest)));
  }
  if (operation.idempotent) parameters.push(IDEMPOTENCY_KEY);
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.description,
    tags: [operation.area],
    security: [{ apiKey: [access.scope] }],
    "x-scope": access.scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(http.method === "GET" ? {} : { requestBody: { required: true, content: json(body(http, rest, components)) } }),
    responses: responses(operation, use),
  };
}

/** The body's schema: by its name among the components where it has one. */
function body(http: HttpRoute, schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  if (http.body === undefined) return schema;
  components[http.body] = schema;
  return { $ref: SCHEMAS + http.body };
}

function responses(operation: Routed, use: (schema: z.ZodType, io: "output") => JsonSchema): Record<string, unknown> {
  const meta = operation.meta && use(operation.meta, "output");
  const envelope = {
    type: "object",
    properties: {
      data: use(operation.output, "output"),
      ...(meta === undefined ? {} : { meta }),
      error: { type: "null" },
    },
    required: ["data", ...(meta === undefined ? [] : ["meta"]), "error"],
  };
  const answers: Record<string, unknown> = {};
  for (const status of operation.http.statuses) {
    answers[status] = {
      description: status === 201 ? "Created." : "Done.",
      headers: { ...REQUEST_ID, ...(status === 201 ? LOCATION : {}) },
      content: json(envelope),
    };
  }
  const codes = refusalsOf(operation);
  for (const status of [...new Set(codes.map((code) => problems[code].status))].sort()) {
    const here = codes.filter((code) => problems[code].status === status);
    answers[status] = {
      description: here
        .map((code) => (isBare(code) ? problems[code].means : `\`${code}\`: ${problems[code].means}`))
        .join("\n\n"),
      headers: {
        ...REQUEST_ID,
        ...(status === 401 ? { "WWW-Authenticate": header("The bearer challenge.") } : {}),
        ...(status === 429 ? { "Retry-After": header("On rate_limited: whole seconds to wait, at least 1.") } : {}),
        ...(status === 503 ? { "Retry-After": header("Whole seconds to wait, at least 1.") } : {}),
      },
      content: json(oneOrAny(refusalSchemas(here, use))),
    };
  }
  return answers;
}

function refusalSchemas(codes: readonly ProblemCode[], use: (schema: z.ZodType, io: "output") => JsonSchema) {
  const coded = codes.filter((code) => !isBare(code));
  const failure = { allOf: [{ $ref: `${SCHEMAS}Failure` }, { properties: { code: { enum: coded } } }] };
  return [...(coded.length > 0 ? [failure] : []), ...(coded.length < codes.length ? [use(Refusal, "output")] : [])];
}

function oneOrAny(schemas: JsonSchema[]): JsonSchema {
  return schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas };
}

function header(description: string) {
  return { description, schema: { type: "string" } };
}

const REQUEST_ID = { "X-Request-Id": header("The ID from the request, or a generated one.") };

const LOCATION = { Location: header("The URL of the created record, or of the record it belongs to.") };

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A repeat with the same key on the same path returns the first success and its status, without a second write. " +
    "Keys are kept for 30 days. Refusals aren't kept. The key belongs to the workspace, not the API key: use a " +
    "random one for each write.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function json(schema: JsonSchema) {
  return { "application/json": { schema } };
}

function parameter(location: "path" | "query", name: string, input: JsonSchema): Record<string, unknown> {
  const { description, ...schema } = input.properties?.[name] ?? {};
  const required = location === "path" || (input.required?.includes(name) ?? false);
  return { name, in: location, required, ...(description === undefined ? {} : { description }), schema };
}

function without(input: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return input;
  const { required, ...rest } = input;
  const left = required?.filter((name) => !names.includes(name)) ?? [];
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(input.properties ?? {}).filter(([name]) => !names.includes(name))),
    ...(left.length > 0 ? { required: left } : {}),
  };
}
