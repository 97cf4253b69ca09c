import type { Tool } from "@modelcontextprotocol/server";
import { type Actor, mayUse } from "../context.ts";
import type { Operation, ToolAnnotations } from "../operation.ts";
import { envelopeSchema, inputSchema } from "../schemas.ts";

export interface Toolbox {
  /** The tools that the actor's scopes allow: those that read first, else in the order of the operations. */
  listFor(actor: Actor): { tools: Tool[] };
  find(name: string): Operation | undefined;
}

/** The operations that are tools, their schemas made once: making them for each request costs more than the call. */
export function createToolbox(operations: readonly Operation[]): Toolbox {
  const entries = operations
    .flatMap((operation) => (operation.tool ? [{ operation, tool: describe(operation, operation.tool) }] : []))
    .sort((a, b) => Number(a.operation.effect === "write") - Number(b.operation.effect === "write"));
  const byName = new Map(entries.map(({ operation }) => [operation.name, operation]));
  return {
    listFor: (actor) => ({
      tools: entries.filter(({ operation }) => mayUse(actor, operation)).map(({ tool }) => tool),
    }),
    find: (name) => byName.get(name),
  };
}

function describe(operation: Operation, { annotations }: { annotations: ToolAnnotations }): Tool {
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: inputSchema(operation) as Tool["inputSchema"],
    outputSchema: envelopeSchema(operation) as NonNullable<Tool["outputSchema"]>,
    annotations: { title: operation.title, ...annotations },
  };
}
