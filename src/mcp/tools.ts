import type { Actor } from "../context.ts";
import { mayUse } from "../context.ts";
import type { Operation } from "../operation.ts";
import { envelopeSchema, inputSchema } from "../schemas.ts";

/** A tool as tools/list shows it. */
export interface Tool {
  [member: string]: unknown;
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: Record<string, unknown>;
}

export interface Toolbox {
  /** What the actor's scopes allow, in the list's order. */
  listFor(actor: Actor): { tools: Tool[] };
  find(name: string): Operation | undefined;
}

/** The operations that are tools, their schemas made once: making them for each request costs more than the call. */
export function createToolbox(operations: readonly Operation[]): Toolbox {
  const offered = operations.filter(({ tool }) => tool !== false);
  const entries = offered.map((operation) => ({ operation, tool: describe(operation) }));
  const byName = new Map(offered.map((operation) => [operation.name, operation]));
  const lists = new Map<string, { tools: Tool[] }>();
  return {
    listFor(actor) {
      const allowed = entries.filter(({ operation }) => mayUse(actor, operation.access));
      const signature = allowed.map(({ tool }) => tool.name).join();
      let list = lists.get(signature);
      if (list === undefined) {
        list = { tools: allowed.map(({ tool }) => tool) };
        lists.set(signature, list);
      }
      return list;
    },
    find: (name) => byName.get(name),
  };
}

function describe(operation: Operation): Tool {
  if (operation.tool === false) throw new Error(`${operation.name} is not a tool.`);
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: inputSchema(operation) as Tool["inputSchema"],
    outputSchema: envelopeSchema(operation) as Tool["outputSchema"],
    annotations: { title: operation.title, ...operation.tool.annotations },
  };
}
