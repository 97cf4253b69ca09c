import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Log } from "../lib/log.ts";
import { Accepted, requestKey } from "./accepted.ts";
import { LastingConnection } from "./lasting-connection.ts";
import { errorMessage, inPlainWords, METHOD_NOT_FOUND, resultMessage } from "./rpc.ts";
import { authOf, type McpCall } from "./server.ts";

/** @param revision what the server is bound to, where its connection is not made by the SDK's entries */
type CreateServer = (revision?: string) => Server;

export interface Served {
  status: number;
  /** Empty where the message is none that is answered. */
  body: string;
}

/** Serves one message of a caller who is known. */
export type Service = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  call: McpCall,
) => Promise<Served>;

/**
 * Serves one message in the era that it is written in: 2026-07-28, or 2025-11-25 and older. The SDK's entries judge
 * each request that is new to them. Then a `tools/call` that equals an accepted one but for its id and arguments goes
 * to a server that lasts, and an equal `tools/list` by a key of the same scopes has the same answer: to build and
 * write the list costs more than ten calls.
 */
export function createService(createServer: CreateServer, log: Log): Service {
  const serve = createEntries(createServer, log);
  const calls = new Accepted<LastingConnection>();
  const lists = new Accepted<string>();
  const connections = new Map<string | undefined, Promise<LastingConnection>>();

  function connectionFor(revision: string | undefined): Promise<LastingConnection> {
    const connection = connections.get(revision) ?? LastingConnection.open(createServer(revision), revision);
    connections.set(revision, connection);
    return connection;
  }

  return async (request, response, body, call) => {
    const key = requestKey(request, body);
    const message = body as JSONRPCRequest;
    if (key !== undefined && message.method === "tools/call") {
      const answer = await calls.find(key)?.ask(message, authOf(call));
      if (answer !== undefined) return { status: 200, body: inPlainWords(JSON.stringify(answer)) };
    }
    const listKey = key !== undefined && message.method === "tools/list" ? `${scopesOf(call)} ${key}` : undefined;
    const list = listKey === undefined ? undefined : lists.find(listKey);
    if (list !== undefined) return { status: 200, body: resultMessage(list, message.id) };

    const answer = await serve(webRequest(request, response), body, call);
    const text = inPlainWords(await answer.text());
    const served = {
      status: answer.status,
      body: message?.method === DISCOVER && text !== "" ? withAllVersions(text) : text,
    };
    if (served.status === 200 && listKey !== undefined) lists.keep(listKey, resultOf(served.body));
    else if (served.status === 200 && key !== undefined) calls.keep(key, await connectionFor(revisionOf(message)));
    return served;
  };
}

const DISCOVER = "server/discover";

/** The SDK names the newer era's versions only. Its server takes the older ones too. */
function withAllVersions(body: string): string {
  const answer = JSON.parse(body) as { result?: { supportedVersions: string[] } };
  answer.result?.supportedVersions.push(...SUPPORTED_PROTOCOL_VERSIONS);
  return JSON.stringify(answer);
}

const scopesOf = ({ actor }: McpCall) => (actor.kind === "key" ? [...actor.scopes].sort().join(" ") : actor.kind);

const resultOf = (answer: string) => JSON.stringify((JSON.parse(answer) as { result: object }).result);

function revisionOf({ params }: JSONRPCRequest): string | undefined {
  return params?._meta?.[PROTOCOL_VERSION_META_KEY] as string | undefined;
}

/** Serves one message by a server of its own. */
function createEntries(createServer: CreateServer, log: Log) {
  const modern = createMcpHandler(() => createServer(), {
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
