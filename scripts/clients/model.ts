/**
 * A model endpoint in the four formats that clients speak. It answers the first request that offers the wanted tool
 * with a call of it, and everything else with a short text. It keeps what it was sent.
 */
import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../src/http/server.ts";
import { urlOf } from "../../src/http/server-url-file.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
  /** Of the tool, in the Responses format. */
  namespace?: string | undefined;
  /** The input of a tool that takes a text in place of arguments. */
  input?: string;
}

/** A tool as a request offers it to the model. */
export interface Offered {
  name: string;
  description: string;
  namespace?: string;
  /** All that the request says of the tool. */
  definition: unknown;
}

interface Asked {
  offered: Offered[];
  /** What the client sent back for the calls of this conversation, as text. */
  results: string[];
}

interface Format {
  path: RegExp;
  read(body: Body): Asked;
  /** The events of a streamed answer, or the only one if the client doesn't stream. */
  answer(said: string | Call, streams: boolean, model: string): object[];
  isStreamed(body: Body, path: string): boolean;
  /** Whether an event's type is named on a line of its own. */
  named?: true;
  /** What ends a stream. */
  end?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each client sends its own variant of a format.
type Body = any;

const THINKING_MS = 1_000;
const LOOPBACK = "127.0.0.1";
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const CHAT_USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const list = (value: unknown): Body[] => (Array.isArray(value) ? value : []);
const offer = (definition: Body): Offered => ({
  name: definition.name ?? "",
  description: definition.description ?? "",
  definition,
});
/** The text of a tool's result, which some clients send in parts. */
function text(value: unknown): string {
  if (typeof value === "string") return value;
  const parts = list(value).map((part) => part.text);
  return parts.length > 0 && parts.every((part) => typeof part === "string") ? parts.join("\n") : JSON.stringify(value);
}

const FORMATS: Format[] = [
  {
    path: /\/messages$/,
    named: true,
    read: ({ tools, messages }) => ({
      offered: list(tools).map(offer),
      results: list(messages)
        .flatMap(({ content }) => list(content))
        .filter(({ type }) => type === "tool_result")
        .map(({ content }) => text(content)),
    }),
    isStreamed: ({ stream }) => stream === true,
    answer(said, streams, model) {
      const calls = typeof said !== "string";
      const block = calls
        ? { type: "tool_use", id: `toolu_${randomUUID()}`, name: said.name, input: said.arguments }
        : { type: "text", text: said };
      const stop_reason = calls ? "tool_use" : "end_turn";
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model, usage };
      if (!streams) return [{ ...message, content: [block], stop_reason, stop_sequence: null }];
      const [begun, delta] = calls
        ? [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(said.arguments) },
          ]
        : [
            { type: "text", text: "" },
            { type: "text_delta", text: said },
          ];
      return [
        { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
        { type: "content_block_start", index: 0, content_block: begun },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ];
    },
  },
  {
    path: /\/responses$/,
    named: true,
    read: ({ tools, input }) => ({
      offered: [...list(tools), ...list(input).flatMap((item) => list(item.tools))].flatMap((tool) =>
        tool.type === "namespace"
          ? list(tool.tools).map((inner) => ({ ...offer(inner), namespace: tool.name }))
          : [offer(tool)],
      ),
      results: list(input)
        .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
        .map(({ output }) => text(output)),
    }),
    isStreamed: ({ stream }) => stream === true,
    answer(said, streams, model) {
      const item =
        typeof said === "string"
          ? { type: "message", role: "assistant", content: [{ type: "output_text", text: said, annotations: [] }] }
          : {
              type: said.input === undefined ? "function_call" : "custom_tool_call",
              call_id: `call_${randomUUID()}`,
              ...said,
              arguments: JSON.stringify(said.arguments),
            };
      const done = { ...item, id: `item_${randomUUID()}`, status: "completed" };
      const response = { id: `resp_${randomUUID()}`, object: "response", created_at: 0, model };
      const completed = { ...response, status: "completed", output: [done], usage: USAGE };
      if (!streams) return [completed];
      return [
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item: done },
        { type: "response.output_item.done", output_index: 0, item: done },
        { type: "response.completed", response: completed },
      ];
    },
  },
  {
    path: /\/chat\/completions$/,
    end: "[DONE]",
    read: ({ tools, messages }) => ({
      offered: list(tools).map(({ function: tool }) => offer(tool)),
      results: list(messages)
        .filter(({ role }) => role === "tool")
        .map(({ content }) => text(content)),
    }),
    isStreamed: ({ stream }) => stream === true,
    answer(said, streams, model) {
      const calls = typeof said !== "string";
      const message = calls
        ? {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${randomUUID()}`,
                type: "function",
                function: { name: said.name, arguments: JSON.stringify(said.arguments) },
              },
            ],
          }
        : { role: "assistant", content: said };
      const finish_reason = calls ? "tool_calls" : "stop";
      const base = { id: `chatcmpl-${randomUUID()}`, created: 0, model };
      if (!streams) {
        const choices = [{ index: 0, message, finish_reason }];
        return [{ ...base, object: "chat.completion", choices, usage: CHAT_USAGE }];
      }
      const chunk = { ...base, object: "chat.completion.chunk" };
      return [
        { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage: CHAT_USAGE },
      ];
    },
  },
  {
    path: /:(?:stream)?[gG]enerateContent$/,
    read: ({ tools, contents }) => ({
      offered: list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations).map(offer)),
      results: list(contents)
        .flatMap(({ parts }) => list(parts))
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse }) => text(functionResponse.response)),
    }),
    isStreamed: (_, path) => path.includes(":stream"),
    answer(said) {
      const part =
        typeof said === "string" ? { text: said } : { functionCall: { name: said.name, args: said.arguments } };
      const candidate = { index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" };
      return [
        {
          candidates: [candidate],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        },
      ];
    },
  },
];

/** Codex cuts the middle out of an answer of more than 12,000 tokens, so the tools are listed in parts. */
const PARTS = 3;
const listPart = (part: number) => `// @exec: {"max_output_tokens": 1000000}
const tools = ALL_TOOLS.filter(({ name }) => name.includes("rostrum")).filter((_, i) => i % ${PARTS} === ${part});
text("<tools>" + JSON.stringify(tools) + "</tools>")`;

/** What the endpoint was sent since it was last told which tool to call. */
export interface Conversation {
  /** The tools that a request offered or a search found, by name. */
  offered: Map<string, Offered>;
  /** The name under which the wanted tool was called, once it was offered. */
  called?: string | undefined;
  /** What the client answered to that call. */
  result?: string | undefined;
  /** The client offers tools only once the model has searched for them. */
  searched?: true;
}

export interface ModelEndpoint {
  url: string;
  /** Begins a run: the next request that offers this tool is answered with this call. */
  want(call: Call): Conversation;
  close(): void;
}

/** Starts one that may search for the tools of these names. */
export async function startModel(served: readonly string[]): Promise<ModelEndpoint> {
  let wanted: Call = { name: "", arguments: {} };
  let record: Conversation = { offered: new Map() };
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? "", "http://none");
    const format = FORMATS.find(({ path }) => path.test(pathname));
    if (request.method !== "POST" || format === undefined) return other(request, response, pathname);
    const body: Body = await json(request);
    const { offered, results } = format.read(body);
    for (const tool of offered) record.offered.set(tool.name, tool);
    const said = decide(offered, results);
    // Copilot CLI offers tools that it remembers while it still signs in.
    if (typeof said !== "string") await sleep(THINKING_MS);
    const streams = format.isStreamed(body, pathname);
    const events = format.answer(said, streams, body.model ?? "fake");
    if (!streams)
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(events[0]));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      if (format.named) response.write(`event: ${(event as { type: string }).type}\n`);
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(format.end === undefined ? "" : `data: ${format.end}\n\n`);
  }
  function decide(offered: readonly Offered[], results: readonly string[]): string | Call {
    if (record.called !== undefined) {
      record.result ??= results.at(-1);
      return "Done.";
    }
    const find = (pattern: RegExp) => offered.find(({ name }) => pattern.test(name));
    const isWanted = new RegExp(`(?:^|[._-])${wanted.name}$`);
    const tool = find(isWanted);
    if (tool !== undefined) {
      record.called = tool.name;
      const { name, namespace } = tool;
      return { name, arguments: wanted.arguments, namespace };
    }
    const search = find(/^tool_?search$/i);
    if (search !== undefined && !record.searched) {
      record.searched = true;
      const query = `select:${served.map((name) => `mcp__rostrum__${name}`)}`;
      return { name: search.name, arguments: { query, max_results: 20 } };
    }
    // Qwen Code answers a search with definitions in a text, and has a tool that calls the others.
    const indirect = find(/^tool_call$/);
    if (indirect !== undefined) {
      const found = [...(results.at(-1) ?? "").matchAll(/<function>(.*?)<\/function>/gs)];
      const tools = found.map(([, definition = ""]) => offer(JSON.parse(definition)));
      return through(tools, (name) => ({ name: indirect.name, arguments: { name, arguments: wanted.arguments } }));
    }
    // Codex gives its newest models a tool that runs JavaScript, in which the others are functions.
    const code = find(/^exec$/);
    if (code === undefined) return "Done.";
    const run = (input: string) => ({ name: code.name, namespace: code.namespace, arguments: {}, input });
    record.searched = true;
    if (results.length < PARTS) return run(listPart(results.length));
    const found = results.flatMap((result) => JSON.parse(/<tools>(.*)<\/tools>/s.exec(result)?.[1] ?? "[]") as Body[]);
    return through(found.map(offer), (name) => run(`text(await tools.${name}(${JSON.stringify(wanted.arguments)}))`));

    function through(tools: readonly Offered[], call: (name: string) => Call): string | Call {
      for (const tool of tools) record.offered.set(tool.name, tool);
      const target = tools.find(({ name }) => isWanted.test(name));
      if (target === undefined) return "Done.";
      record.called = target.name;
      return call(target.name);
    }
  }
  const port = await listen(server, 0, LOOPBACK);
  return {
    url: urlOf(LOOPBACK, port),
    want(call) {
      wanted = call;
      record = { offered: new Map() };
      return record;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The list of models, and counting tokens. */
function other(request: IncomingMessage, response: ServerResponse, path: string): void {
  request.resume();
  const models = [{ id: "fake", object: "model", owned_by: "nobody", created: 0 }];
  const body = /count_?tokens$/i.test(path)
    ? { input_tokens: 1, totalTokens: 1 }
    : request.method === "GET" && path.endsWith("/models")
      ? { object: "list", data: models }
      : undefined;
  response
    .writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    .end(JSON.stringify(body ?? { error: { message: "Not found" } }));
}
