import type { Outcome, Tracing } from "../lib/tracing.ts";
import type { Served, Service } from "./service.ts";

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; _meta?: object };
}

/** A span of each message, by OpenTelemetry's conventions for MCP servers. Its `_meta` wins over the request's headers. */
export function traceService(serve: Service, tracing: Tracing): Service {
  return (request, response, body, call) => {
    const { id, method, params } = (body ?? {}) as Message;
    const name = short(method);
    const target = NAMED[name] === undefined ? undefined : short(params?.name);
    const attributes = {
      "mcp.method.name": name,
      ...(target !== undefined && { [NAMED[name] as string]: target }),
      ...(name === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
      ...(id !== undefined && { "jsonrpc.request.id": short(id) }),
      "network.transport": "tcp",
      "network.protocol.name": "http",
    };
    return tracing.serve(
      {
        name: target === undefined ? name : `${name} ${target}`,
        attributes,
        carrier: { ...request.headers, ...params?._meta },
      },
      () => serve(request, response, body, call),
      outcomeOf,
    );
  };
}

/** Methods whose parameter `name` says what they are about, and the attribute for it. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "gen_ai.tool.name",
  "prompts/get": "gen_ai.prompt.name",
};

/** A caller may send any text. */
const short = (value: unknown) => String(value).slice(0, 100);

function outcomeOf({ body, prefix }: Served): Outcome {
  const { error, result } = (body === "" || prefix !== undefined ? {} : JSON.parse(body)) as {
    error?: { code: number };
    result?: { isError?: boolean };
  };
  if (error !== undefined) {
    const code = String(error.code);
    return { attributes: { "rpc.response.status_code": code }, error: code };
  }
  return { attributes: {}, error: result?.isError ? "tool_error" : undefined };
}
