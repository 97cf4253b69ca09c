import { z } from "zod";
import { agentOperation } from "../core/operation.ts";
import { EVENT_NAMES, EVENTS } from "./catalog.ts";
import { METHODS } from "./protocol.ts";

const schemaObject = z.record(z.string(), z.unknown());

const listed = EVENT_NAMES.map((name) => ({
  name,
  scope: EVENTS[name].scope,
  description: EVENTS[name].description,
  delivery: ["webhook" as const],
  inputSchema: z.toJSONSchema(EVENTS[name].arguments, { io: "input" }) as Record<string, unknown>,
  payloadSchema: z.toJSONSchema(EVENTS[name].payload) as Record<string, unknown>,
}));

export const listEvents = agentOperation({
  name: "list_events",
  area: "events",
  title: "List events",
  description: "Lists the events that the caller can subscribe to, each with the schemas of its arguments and payload.",
  access: { scope: null },
  tool: false,
  rpc: METHODS.list,
  budget: "none",
  idempotent: false,
  effect: "read",
  input: z.object({
    cursor: z.string().optional().describe("Accepted but ignored, because all events are on one page."),
  }),
  output: z.object({
    events: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        delivery: z.array(z.literal("webhook")),
        inputSchema: schemaObject,
        payloadSchema: schemaObject,
      }),
    ),
  }),
  async handler({ actor }) {
    const mine = listed.filter(({ scope }) => actor.kind !== "key" || actor.scopes.has(scope));
    return { data: { events: mine.map(({ scope: _, ...event }) => event) } };
  },
});
