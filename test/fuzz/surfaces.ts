import fc from "fast-check";
import { screens } from "../../src/console/pages/index.ts";
import { hasMethod, isRouted, type Operation, type Routed } from "../../src/core/operation.ts";
import { refusalsOf } from "../../src/core/policy.ts";
import { problems } from "../../src/core/problem.ts";
import { junk } from "../support/inputs.ts";
import { META } from "../support/mcp.ts";
import { type Input, idKind, operations, Picker } from "./inputs.ts";
import {
  encoded,
  FORM_TYPE,
  type Header,
  JSON_TYPE,
  json,
  type Message,
  NO_BODY,
  odd,
  pairs,
  REFUSALS,
  rarely,
  type World,
  withQuery,
} from "./message.ts";

/** An endpoint that passes the challenge of MCP Events, and its secret. */
export interface Hook {
  url: string;
  secret: string;
}

/** The documented statuses of an operation. */
export type Documented = (operation: Routed) => readonly number[];

const bearer = (key: string): Header[] => (key === "" ? [] : [["authorization", `Bearer ${key}`]]);
const PAGE = [200, 302, 303, 304, ...REFUSALS];

/** Well-formed requests of every surface, about the records of the world. */
export class Surfaces {
  readonly #world: World;
  readonly #hook: Hook;
  readonly #picker: Picker;
  readonly #input: (operation: Operation) => fc.Arbitrary<Input>;
  readonly #key: fc.Arbitrary<string>;
  readonly #own: Header;
  readonly #session: Header;

  constructor(world: World, hook: Hook) {
    this.#world = world;
    this.#hook = hook;
    this.#picker = new Picker(world);
    this.#input = this.#picker.inputs(hook.url);
    this.#key = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...world.keys) },
      { weight: 1, arbitrary: fc.constantFrom("", "ros_live_", "ros_live_0123456789abcdefghijklmnopqrstuvwxyz") },
    );
    this.#own = ["origin", `http://127.0.0.1:${world.port}`];
    this.#session = ["cookie", world.cookie];
  }

  rest(documented: Documented): fc.Arbitrary<Message> {
    const pathId = fc.oneof({ weight: 8, arbitrary: fc.nat() }, { weight: 1, arbitrary: odd });
    const routed = operations.filter(isRouted).map((operation) =>
      fc
        .tuple(this.#input(operation), pathId, this.#key, rarely(odd))
        .map(([input, chance, key, idempotencyKey]): Message => {
          const { method, path } = operation.http;
          const kind = idKind(path);
          const id = typeof chance === "string" ? chance : this.#picker.pick(kind ?? "", chance);
          const { id: _, ...rest } = input;
          const given = kind === undefined ? input : rest;
          const target = `/api/v1${path.replace("{id}", () => encoded(id))}`;
          const query = Object.entries(given).map(([name, value]) => [name, textOf(value)] as const);
          const isGet = method === "GET";
          return {
            surface: operation.name,
            method,
            target: isGet ? withQuery(target, query) : target,
            headers: [
              ...bearer(key),
              ...(isGet ? [] : [JSON_TYPE]),
              ...(idempotencyKey === null ? [] : [["idempotency-key", idempotencyKey] as Header]),
            ],
            body: isGet ? NO_BODY : json(given),
            statuses: documented(operation),
          };
        }),
    );
    return fc.oneof(...routed);
  }

  /** Messages of both eras. */
  mcp(): fc.Arbitrary<Message> {
    const era = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom("2025-11-25", "2026-07-28") },
      { weight: 1, arbitrary: fc.oneof(odd, fc.constant("2025-03-26")) },
    );
    const id = fc.oneof({ weight: 8, arbitrary: fc.nat() }, { weight: 1, arbitrary: junk });
    const meta = fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>(META) }, { weight: 1, arbitrary: junk });
    const wrap = fc.oneof(
      { weight: 30, arbitrary: fc.constant((message: unknown) => message) },
      { weight: 1, arbitrary: fc.constantFrom(twice, nothing) },
    );
    return fc
      .record({ call: this.#calls(), key: this.#key, era, id, meta, name: rarely(odd), wrap })
      .map(({ call: { method, params }, key, era, id, meta, name, wrap }): Message => {
        const isModern = era === "2026-07-28";
        const isCall = method === "tools/call" && typeof params?.name === "string";
        const given = isModern && typeof params === "object" ? { _meta: meta, ...params } : params;
        return {
          surface: "mcp",
          method: "POST",
          target: "/api/v1/mcp",
          headers: [
            ...bearer(key),
            JSON_TYPE,
            ["accept", "application/json, text/event-stream"],
            ["mcp-protocol-version", era],
            ...(isModern ? [["mcp-method", method] as Header] : []),
            ...(isModern && isCall ? [["mcp-name", name ?? params.name] as Header] : []),
          ],
          body: json(wrap({ jsonrpc: "2.0", id, method, params: given })),
          // The transport of the 2025 era itself answers 406.
          statuses: [200, 202, 406, ...REFUSALS],
        };
      });
  }

  #calls(): fc.Arbitrary<{ method: string; params: any }> {
    const { url, secret } = this.#hook;
    const tools = operations.filter(({ tool }) => tool);
    const called = tools.map((tool) =>
      this.#input(tool).map((given) => ({ method: "tools/call", params: { name: tool.name, arguments: given } })),
    );
    const asked = operations
      .filter(hasMethod)
      .map((operation) => this.#input(operation).map((given) => ({ method: operation.rpc, params: given })));
    const urls = [url, "http://127.0.0.1:1/", "http://[::1]:1/", "file:///etc/passwd", "http://"];
    const subscribed = fc
      .record({
        name: fc.constantFrom("socialnet.reconnect.requested", "socialnet.action.needs_review", "nothing"),
        url: fc.constantFrom(...urls),
        ttlMs: fc.constantFrom(undefined, null, 60_000, -1, 1e300),
      })
      .map(({ name, url, ttlMs }) => ({
        method: "events/subscribe",
        params: { name, ttlMs, delivery: { mode: "webhook", url, secret } },
      }));
    const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
    const others = fc.record({
      method: fc.oneof(fc.constantFrom(...METHODS), odd),
      params: fc.oneof(junk, fc.constantFrom({}, CLIENT)),
    });
    return fc.oneof(
      { weight: 8, arbitrary: fc.oneof(...called) },
      { weight: 4, arbitrary: fc.oneof(...asked) },
      { weight: 2, arbitrary: subscribed },
      { weight: 3, arbitrary: others },
    );
  }

  /** Every operation, called as by a page's script. */
  memberApi(): fc.Arbitrary<Message> {
    const calls = operations
      // After these, a workspace would refuse every write.
      .filter(({ name }) => name !== "set_billing" && name !== "set_plan")
      .map((operation) =>
        fc.tuple(this.#input(operation), address).map(
          ([input, from]): Message => ({
            surface: "member API",
            method: "POST",
            target: `/console/api/${operation.name}`,
            headers: [this.#session, this.#own, from, JSON_TYPE],
            body: json(input),
            statuses: [200, 201, ...BEFORE_CALL, ...refusalsOf(operation).map((code) => problems[code].status)],
          }),
        ),
      );
    return fc.oneof(...calls);
  }

  /** Pages of workspaces, and their forms. */
  screen(): fc.Arbitrary<Message> {
    const { workspaceId, neighborId } = this.#world;
    const forms = [...new Set(screens.flatMap(({ forms = [] }) => forms))].map((name) => {
      const operation = operations.find((one) => one.name === name) as Operation;
      return this.#input(operation).map((input) => pairs([["_do", name], ...fieldsOf(input)]));
    });
    return fc
      .record({
        path: fc.constantFrom(...screens.map(({ path }) => path as string), "/live", "/nothing"),
        workspace: fc.oneof({ weight: 12, arbitrary: fc.constant(workspaceId) }, fc.constant(neighborId)),
        chance: fc.infiniteStream(fc.nat()),
        query: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FILTERS), odd), odd), { maxLength: 3 }),
        cookie: fc.oneof({ weight: 8, arbitrary: fc.constant(this.#session) }, fc.constant<Header>(["cookie", "a=b"])),
        form: fc.option(fc.oneof(...forms), { freq: 2 }),
      })
      .map(({ path, workspace, chance, query, cookie, form }): Message => {
        const section = path.split("/")[1] ?? "";
        const filled = path.replace(/:(\w+)/g, (_, name) => {
          const next = chance.next().value;
          const choices = PATH_CHOICES[name];
          const id = this.#picker.pick(name === "id" ? section : name, next);
          return encoded(choices?.[next % choices.length] ?? id);
        });
        return {
          surface: "console",
          method: form === null ? "GET" : "POST",
          target: withQuery(`/console/w/${workspace}${filled}`, query),
          headers: [cookie, this.#own, ...(form === null ? [] : [FORM_TYPE])],
          body: Buffer.from(form ?? ""),
          statuses: PAGE,
        };
      });
  }

  /** Requests outside the workspaces: signing in, OAuth, metadata, health, the reference. */
  outer(): fc.Arbitrary<Message> {
    const value = fc.oneof(fc.constantFrom(...LIKELY), odd);
    return fc
      .record({
        path: fc.constantFrom(...OUTER),
        tail: rarely(odd.map(encoded)),
        fields: fc.array(fc.tuple(fc.constantFrom(...FIELDS), value), { maxLength: 8 }),
        metadata: fc.oneof(fc.record({ client_name: odd, redirect_uris: fc.array(value, { maxLength: 3 }) }), junk),
        isPost: fc.boolean(),
        isSignedIn: fc.boolean(),
        address,
      })
      .map(({ path, tail, fields, metadata, isPost, isSignedIn, address }): Message => {
        const isRegister = path === "/oauth/register";
        const body = isRegister ? json(metadata) : Buffer.from(pairs(fields));
        const target = tail === null ? path : `${path.slice(0, path.lastIndexOf("/"))}/${tail}`;
        return {
          surface: path.startsWith("/console") ? "console" : "OAuth and open pages",
          method: isPost ? "POST" : "GET",
          target: isPost ? target : withQuery(target, fields),
          headers: [address, this.#own, isRegister ? JSON_TYPE : FORM_TYPE, ...(isSignedIn ? [this.#session] : [])],
          body: isPost ? body : NO_BODY,
          statuses: [201, ...PAGE],
        };
      });
  }
}

/** Rates are limited by the caller's network, which a proxy header sets. */
const address = fc.nat().map((n): Header => ["x-forwarded-for", `198.51.${(n >> 8) & 255}.${n & 255}`]);

const textOf = (value: unknown) => (typeof value === "string" ? value : String(JSON.stringify(value)));

/** The fields of a form, as the console names them: `steps.0.subject`. */
function fieldsOf(value: unknown, at = ""): [string, string][] {
  if (typeof value !== "object" || value === null) return [[at, String(value)]];
  return Object.entries(value).flatMap(([name, of]) => fieldsOf(of, at === "" ? name : `${at}.${name}`));
}

const twice = (message: unknown): unknown => [message, message];
const nothing = (): unknown => null;
const METHODS = [
  ...["initialize", "ping", "tools/list", "tools/call", "server/discover", "resources/list", "logging/setLevel"],
  ...["notifications/initialized", "notifications/cancelled", "subscriptions/listen"],
];

/** Statuses of the member API before it calls an operation. */
const BEFORE_CALL = [400, 401, 403, 404, 405, 408, 413, 415, 417, 431];

const FILTERS = ["q", "after", "before", "limit", "status", "stage", "kind", "tag", "contact", "item", "from"];
const PATH_CHOICES: Record<string, string[]> = {
  kind: ["card", "post", "action", "sequence", "publish", "x"],
  stage: ["proposal", "lead", "x"],
};

const OUTER = [
  ...["/", "/docs", "/healthz", "/readyz", "/metrics", "/unsubscribe/x", "/api/v1", "/api/v1/openapi.json"],
  ...["/oauth/register", "/oauth/token", "/oauth/revoke", "/.well-known/oauth-authorization-server"],
  ...["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/v1/mcp"],
  ...["/console", "/console/sign-in", "/console/forgotten", "/console/workspaces", "/console/authorize"],
  ...["/console/single-sign-on", "/console/single-sign-on/callback", "/console/theme", "/console/static/styles.css"],
  ...["/console/setup/x", "/console/invitation/x", "/console/reset/x"],
];
const FIELDS = [
  ...["response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "resource"],
  ...["grant_type", "code", "code_verifier", "token", "scope", "email", "password", "name", "_token", "back", "theme"],
];
const LIKELY = ["code", "authorization_code", "http://127.0.0.1:4711/callback", "S256", "a@b.example", "/console"];
