import type { Actor } from "../core/actor.ts";
import type { Invoke } from "../core/invoke.ts";
import type { Operation } from "../core/operation.ts";
import { problem } from "../core/problem.ts";
import { type ToolArguments, takeToolArguments } from "../core/schema.ts";
import { type ToolAnswer, toolAnswer } from "./tool-answer.ts";

/** The caller and the headers of one MCP request. */
export interface McpCall {
  actor: Actor;
  requestId: string;
  address: () => string | undefined;
  idempotencyKey: string | undefined;
}

/** Calls a tool with the arguments of a `tools/call`. Throws nothing: a refusal is an answer. */
export type CallTool = (operation: Operation, given: object, call: McpCall) => Promise<ToolAnswer>;

export function createCallTool(invoke: Invoke): CallTool {
  return async (operation, given, call) => {
    const { own, input } = toolCall(operation, given, call.idempotencyKey);
    const answer = await invoke(operation, {
      caller: call.actor,
      surface: "mcp",
      requestId: call.requestId,
      address: call.address,
      input,
      idempotencyKey: own?.idempotencyKey ?? call.idempotencyKey,
      options: own?.options,
    });
    return toolAnswer(operation, answer, own?.detail);
  };
}

/** Splits a call's arguments. What is wrong with them is thrown where the input is read: after the scope is checked. */
function toolCall(
  operation: Operation,
  given: object,
  header: string | undefined,
): { own?: ToolArguments; input: () => unknown } {
  try {
    const { own, input } = takeToolArguments(operation, given);
    if (own.idempotencyKey !== undefined && header !== undefined && own.idempotencyKey !== header) {
      throw problem(
        "validation_failed",
        "idempotency_key: differs from the Idempotency-Key header. Send only one of them.",
      );
    }
    return { own, input: () => input };
  } catch (refusal) {
    return {
      input: () => {
        throw refusal;
      },
    };
  }
}
