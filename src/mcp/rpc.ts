import type { Problem, ProblemCode } from "../core/problem.ts";

/** JSON-RPC's own codes, and the server's code for the statuses of HTTP. */
export const METHOD_NOT_FOUND = -32601;
const SERVER_ERROR = -32000;
const RPC_CODES: { [code in ProblemCode]?: number } = {
  invalid_json: -32700,
  validation_failed: -32600,
  internal_error: -32603,
};

/** @param result in JSON */
export const resultMessage = (result: string, id: string | number): string =>
  `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;

export function errorMessage(code: number, message: string, data?: object, id?: unknown): string {
  const known = typeof id === "string" || typeof id === "number";
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, id: known ? id : null });
}

/** A failure envelope as a JSON-RPC error. */
export function refusalMessage({ code, message }: Problem, envelope: string): string {
  const { correlationId } = JSON.parse(envelope) as { correlationId?: string };
  return errorMessage(RPC_CODES[code] ?? SERVER_ERROR, message, { code, correlationId });
}
