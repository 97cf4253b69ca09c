import type { Request, Response } from "express";
import type { Invoke } from "../core/invoke.ts";
import { hasSecret, inputProperties, isFreeForm, type JsonSchema } from "../core/json-schema.ts";
import { isRouted, type Operation, pathNames, type Routed } from "../core/operation.ts";
import { problem } from "../core/problem.ts";
import { compressLarge } from "../http/compress.ts";
import { readJsonBody, reply, replyProblem, requestId } from "../http/json.ts";
import { API_PREFIX, type EarlyHandler } from "../http/server.ts";
import type { Authenticate } from "../identity/authenticate.ts";
import type { Tracing } from "../lib/tracing.ts";

type Handler = (request: Request, response: Response, params: Record<string, string>, query: string) => Promise<void>;

/** Serves every operation that has a route below /api/v1; other methods of a route answer 405. */
export function restRouter(
  operations: readonly Operation[],
  invoke: Invoke,
  authenticate: Authenticate,
  tracing?: Tracing,
): EarlyHandler {
  const match = createMatcher(operations.filter(isRouted), (operation) => {
    const handle = restHandler(operation, invoke, authenticate);
    return tracing === undefined ? handle : traced(tracing, operation, handle);
  });

  return (request, response, next) => {
    const { url, method } = request;
    if (!url.startsWith(API_PREFIX)) return next();
    const mark = url.indexOf("?");
    const path = url.slice(API_PREFIX.length, mark === -1 ? undefined : mark);
    const found = match(path);
    if (found === undefined) return next();
    const { route, params } = found;
    const handle = route.methods.get(method === "HEAD" ? "GET" : method);
    if (handle === undefined) {
      response.setHeader("allow", route.allow);
      return replyProblem(
        response,
        problem("method_not_allowed", `Use ${route.allow.replace(/, (\w+)$/, " or $1")} for this path.`),
        requestId(request),
      );
    }
    for (const name in params) params[name] = decode(params[name] as string);
    // invoke answers every fault. What can still fail is the connection, during the answer.
    handle(request, response, params, mark === -1 ? "" : url.slice(mark + 1)).catch(() => response.destroy());
  };
}

/** A span of each request, by OpenTelemetry's conventions for HTTP servers. */
function traced(tracing: Tracing, { http: { method, path } }: Routed, handle: Handler): Handler {
  const route = API_PREFIX + path;
  return (request, response, params, query) => {
    const attributes = { "http.request.method": method, "http.route": route, "url.scheme": request.protocol };
    return tracing.serve(
      { name: `${method} ${route}`, attributes, carrier: request.headers },
      () => handle(request, response, params, query),
      () => ({
        attributes: { "http.response.status_code": response.statusCode },
        error: response.statusCode >= 500 ? String(response.statusCode) : undefined,
      }),
    );
  };
}

function restHandler(operation: Routed, invoke: Invoke, authenticate: Authenticate): Handler {
  const isFree = isFreeForm(operation);
  const isSecret = hasSecret(operation);
  const { method, path, location } = operation.http;
  const route = `${method} ${path}`;
  return async (request, response, params, query) => {
    const id = requestId(request);
    const address = () => request.ip;
    const answer = await invoke.sendable(operation, {
      caller: () => authenticate({ authorization: request.headers.authorization, route, address }),
      surface: "rest",
      requestId: id,
      params,
      input:
        method === "GET" ? () => coerceQuery(query, inputProperties(operation)) : () => readJsonBody(request, isFree),
      idempotencyKey: request.headers["idempotency-key"] as string | undefined,
      address,
    });
    if (answer.status === 201 && location !== undefined) {
      response.setHeader("location", API_PREFIX + fill(location, String(answer.body)));
    }
    if (!isSecret) compressLarge(request, response, answer.body.length);
    reply(response, answer, id);
  };
}

/** A template with the names of fields, filled with their values in the answer. */
function fill(template: string, body: string): string {
  if (!template.includes("{")) return template;
  const { data } = JSON.parse(body) as { data: Record<string, string> };
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(data[name] ?? ""));
}

/** A path of the API, with a handler for each method. */
interface Route<T> {
  methods: ReadonlyMap<string, T>;
  allow: string;
}

interface Match<T> {
  route: Route<T>;
  /** Values of the path's names, as they are in the URL. */
  params: Record<string, string>;
}

interface Pattern<T> {
  expression: RegExp;
  names: readonly string[];
  route: Route<T>;
}

/**
 * Finds the route of a path. Fixed paths win over templates, as OpenAPI requires: /contacts/assert is never a contact
 * called assert. Letter case and trailing slashes count.
 */
function createMatcher<T>(
  operations: readonly Routed[],
  handlerOf: (operation: Routed) => T,
): (path: string) => Match<T> | undefined {
  const fixed = new Map<string, Route<T>>();
  const patterns: Pattern<T>[] = [];
  for (const path of new Set(operations.map(({ http }) => http.path))) {
    const here = operations.filter(({ http }) => http.path === path);
    const route = {
      methods: new Map(here.map((operation) => [operation.http.method as string, handlerOf(operation)])),
      allow: here.map(({ http }) => (http.method === "GET" ? "GET, HEAD" : http.method)).join(", "),
    };
    if (path.includes("{"))
      patterns.push({ expression: expressionOf(path), names: pathNames({ http: { path } }), route });
    else fixed.set(path, route);
  }
  return (path) => {
    const route = fixed.get(path);
    if (route !== undefined) return { route, params: {} };
    for (const { expression, names, route: there } of patterns) {
      const found = expression.exec(path);
      if (found === null) continue;
      const params: Record<string, string> = {};
      for (const [index, name] of names.entries()) params[name] = found[index + 1] as string;
      return { route: there, params };
    }
    return undefined;
  };
}

function expressionOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, "([^/]+)")}$`);
}

/** A value with invalid percent-encoding is passed on unchanged: its schema refuses it once the caller is known. */
function decode(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Converts a query's text to the JSON types that the operation's schema names. Other text stays text, for the schema
 * to refuse. A name given twice becomes an array, which only a schema for arrays accepts.
 */
function coerceQuery(query: string, properties: Readonly<Record<string, JsonSchema>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (query === "") return input;
  const given = new URLSearchParams(query);
  for (const name of new Set(given.keys())) {
    const texts = given.getAll(name).map((text) => coerceText(text, properties[name]?.type));
    Object.defineProperty(input, name, {
      value: texts.length === 1 ? texts[0] : texts,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return input;
}

function coerceText(text: string, type: unknown): unknown {
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
