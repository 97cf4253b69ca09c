import assert from "node:assert/strict";
import { test } from "node:test";
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ERAS, META, post } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const parent = (spanId: string) => `00-${TRACE_ID}-${spanId}-01`;
const HEADER = "b7ad6b7169203331";
const MESSAGE = "00f067aa0ba902b7";

/** The spans since the last call. */
function spans() {
  const found = exporter.getFinishedSpans().map(({ name, kind, attributes, status, parentSpanContext }) => ({
    name,
    kind,
    attributes,
    failed: status.code === SpanStatusCode.ERROR,
    parent: parentSpanContext && [parentSpanContext.traceId, parentSpanContext.spanId],
  }));
  exporter.reset();
  return found;
}

test("each REST request is a span of its route, in the caller's trace", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_TRACING: "on" } });
  const headers = { traceparent: parent(HEADER) };
  const { body } = await server.rest("POST", "/contacts", { body: { first_name: "Ada" }, headers });
  await server.rest("GET", `/contacts/${body.data.id}`);
  await server.rest("GET", "/contacts/nobody");
  const attributes = (method: string, route: string, status: number) => ({
    "http.request.method": method,
    "http.route": route,
    "url.scheme": "http",
    "http.response.status_code": status,
  });
  const span = { kind: SpanKind.SERVER, failed: false, parent: undefined };
  assert.deepEqual(spans(), [
    {
      ...span,
      name: "POST /api/v1/contacts",
      attributes: attributes("POST", "/api/v1/contacts", 201),
      parent: [TRACE_ID, HEADER],
    },
    {
      ...span,
      name: "GET /api/v1/contacts/{id}",
      attributes: attributes("GET", "/api/v1/contacts/{id}", 200),
    },
    {
      ...span,
      name: "GET /api/v1/contacts/{id}",
      attributes: attributes("GET", "/api/v1/contacts/{id}", 400),
    },
  ]);
});

for (const era of ERAS) {
  test(`each MCP message is a span, whose parent the message names before its headers (${era})`, async (t) => {
    const server = await startServer(t, { env: { ROSTRUM_TRACING: "on" } });
    const headers = { traceparent: parent(HEADER) };
    const _meta = { ...(era === "2026-07-28" && META), traceparent: parent(MESSAGE) };
    await post(server, era, "tools/call", { name: "list_contacts", _meta }, { headers, id: 7 });
    await post(server, era, "tools/call", { name: "get_contact", arguments: { id: "x" } }, { headers });
    await post(server, era, "tools/call", { name: "no_such_tool" });
    await post(server, era, "tools/list");
    const again = await post(server, era, "tools/list");
    assert.equal(again.status, 200);
    const [called, refused, unknown, ...listed] = spans();
    assert.deepEqual(called, {
      name: "tools/call list_contacts",
      kind: SpanKind.SERVER,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "list_contacts",
        "gen_ai.operation.name": "execute_tool",
        "jsonrpc.request.id": "7",
        "network.transport": "tcp",
        "network.protocol.name": "http",
      },
      failed: false,
      parent: [TRACE_ID, MESSAGE],
    });
    assert.deepEqual(
      [refused?.parent, refused?.failed, refused?.attributes["error.type"]],
      [[TRACE_ID, HEADER], true, "tool_error"],
    );
    assert.deepEqual(
      [unknown?.parent, unknown?.failed, unknown?.attributes["rpc.response.status_code"]],
      [undefined, true, "-32602"],
    );
    assert.deepEqual(
      listed.map(({ name, failed }) => [name, failed]),
      [
        ["tools/list", false],
        ["tools/list", false],
      ],
    );
  });
}

test("the work of a request is done within its span", async (t) => {
  let active: Span | undefined;
  const clock = {
    now() {
      active ??= trace.getActiveSpan();
      return Date.UTC(2026, 10, 20);
    },
    elapsed: () => performance.now(),
  };
  const server = await startServer(t, { env: { ROSTRUM_TRACING: "on" }, clock });
  active = undefined;
  await server.rest("GET", "/contacts");
  const [span] = exporter.getFinishedSpans();
  assert.equal((active as Span | undefined)?.spanContext().spanId, span?.spanContext().spanId);
  exporter.reset();
});

test("without the setting, there is no span", async (t) => {
  const server = await startServer(t);
  await server.rest("GET", "/contacts");
  await post(server, "2026-07-28", "tools/list");
  assert.deepEqual(spans(), []);
});
