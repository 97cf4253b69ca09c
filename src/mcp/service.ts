import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Operation } from "../core/operation.ts";
import type { Log } from "../lib/log.ts";
import { Accepted, type AcceptedMessage, isObject, requestKey } from "./accepted.ts";
import { beforeId, errorMessage, fromId, inPlainWords, METHOD_NOT_FOUND, resultMessage } from "./rpc.ts";
import { authOf, type Toolbox } from "./server.ts";
import type { ToolAnswer } from "./tool-answer.ts";
import type { CallTool, McpCall } from "./tool-call.ts";

export interface Served {
  status: number;
  /** Empty where the message is none that is answered. */
  body: string;
  /** What comes before `body` in a successful answer: bytes that many answers have in common. */
  prefix?: Buffer;
}

/** Serves one message of a caller who is known. */
export type Service = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  call: McpCall,
) => Promise<Served>;

interface ServiceParts {
  createServer: () => Server;
  toolbox: Toolbox;
  callTool: CallTool;
  log: Log;
}

/**
 * Serves one message in the era that it is written in: 2026-07-28, or 2025-11-25 and older. The SDK judges and answers
 * each request that is new to it. If a later `tools/call` differs only in its id and arguments, only the tool's result
 * in the answer differs. A later `tools/list` by a key of the same scopes has the same answer. For such requests, the
 * SDK would take longer than the tool itself.
 */
export function createService({ createServer, toolbox, callTool, log }: ServiceParts): Service {
  const serve = createEntries(createServer, log);
  const calls = new Accepted<AcceptedCall>();
  const lists = new Accepted<Buffer>();

  return async (request, response, body, call) => {
    const key = requestKey(request, body);
    if (key === undefined) return forward(request, response, body, call);
    const { id, method, params } = body as AcceptedMessage;
    if (method === "tools/call") {
      const known = calls.find(key);
      const { name, arguments: given = {} } = params;
      if (known !== undefined && isTakenWhole(given)) {
        const answer = await callTool(known.operation, given, call);
        return { status: 200, body: resultMessage(toolResult(answer, known.more), id) };
      }
      const served = await forward(request, response, body, call);
      const more = served.status === 200 ? besideAnswer(served.body) : undefined;
      const operation = toolbox.find(String(name));
      if (more !== undefined && operation !== undefined) calls.keep(key, { operation, more });
      return served;
    }
    const listKey = `${scopesOf(call)} ${key}`;
    const prefix = lists.find(listKey);
    if (prefix !== undefined) return { status: 200, prefix, body: fromId(id) };
    const served = await forward(request, response, body, call);
    const result = served.status === 200 ? resultOf(served.body) : undefined;
    if (result !== undefined) lists.keep(listKey, Buffer.from(beforeId(result)));
    return served;
  };

  async function forward(request: IncomingMessage, response: ServerResponse, body: unknown, call: McpCall) {
    const answer = await serve(webRequest(request, response), body, call);
    const text = inPlainWords(await answer.text());
    const { method } = (body ?? {}) as { method?: unknown };
    return { status: answer.status, body: method === DISCOVER && text !== "" ? withAllVersions(text) : text };
  }
}

/** A `tools/call` that the SDK has answered. */
interface AcceptedCall {
  operation: Operation;
  /** What the result has beside the tool's answer: JSON members, each with a comma before it. */
  more: string;
}

/** Whether the SDK hands arguments on as they are. It refuses what isn't an object, and drops a member `__proto__`. */
const isTakenWhole = (given: unknown): given is object => isObject(given) && !Object.hasOwn(given, "__proto__");

/** The SDK's result of a call, with the answer's JSON as it is: parsing it and writing it again would double the cost. */
const toolResult = ({ text, isError }: ToolAnswer, more: string): string =>
  `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}` +
  `${isError ? ',"isError":true' : ""}${more}}`;

/** Undefined if no tool answered. */
function besideAnswer(body: string): string | undefined {
  const { result } = JSON.parse(body) as { result?: Record<string, unknown> };
  if (result?.structuredContent === undefined) return undefined;
  const { content: _content, structuredContent: _structured, isError: _isError, ...more } = result;
  return Object.entries(more)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join("");
}

const DISCOVER = "server/discover";

/** The SDK names the newer era's versions only. Its server takes the older ones too. */
function withAllVersions(body: string): string {
  const answer = JSON.parse(body) as { result?: { supportedVersions: string[] } };
  answer.result?.supportedVersions.push(...SUPPORTED_PROTOCOL_VERSIONS);
  return JSON.stringify(answer);
}

const scopesOf = ({ actor }: McpCall) => (actor.kind === "key" ? [...actor.scopes].sort().join(" ") : actor.kind);

/** In JSON. Undefined if the answer is an error: the SDK gives some of them the status 200. */
function resultOf(answer: string): string | undefined {
  const { result } = JSON.parse(answer) as { result?: object };
  return result && JSON.stringify(result);
}

/** Serves one message by a server of its own. */
function createEntries(createServer: () => Server, log: Log) {
  const modern = createMcpHandler(createServer, {
    legacy: "reject",
    onerror: (error) => log.debug({ err: error }, "an MCP request was refused"),
  });
  return async (request: Request, body: unknown, call: McpCall): Promise<Response> => {
    const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
    if (method === "subscriptions/listen") {
      // The SDK would open a stream.
      const message = "Method not found: this endpoint does not stream.";
      return new Response(errorMessage(METHOD_NOT_FOUND, message, undefined, id), { status: 404 });
    }
    const options = { parsedBody: body, authInfo: authOf(call) };
    if (!(await isLegacyRequest(request, body))) return modern.fetch(request, options);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await createServer().connect(transport);
    return transport.handleRequest(request, options);
  };
}

/** A request without its body, which is read. Its signal says that the client went away. */
function webRequest({ headers }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const read = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request("http://rostrum.invalid/mcp", { method: "POST", headers: read, signal: gone.signal });
}
