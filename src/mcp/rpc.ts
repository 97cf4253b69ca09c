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
export const resultMessage = (result: string, id: string | number): string => beforeId(result) + fromId(id);

/** The parts of a result's message. Only the second differs between equal results. */
export const beforeId = (result: string): string => `{"result":${result},"jsonrpc":"2.0","id":`;
export const fromId = (id: string | number): string => `${JSON.stringify(id)}}`;

export function errorMessage(code: number, message: string, data?: object, id?: unknown): string {
  const known = typeof id === "string" || typeof id === "number";
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, id: known ? id : null });
}

/** A failure envelope as a JSON-RPC error. */
export function refusalMessage({ code, message }: Problem, envelope: string): string {
  const { correlationId } = JSON.parse(envelope) as { correlationId?: string };
  return errorMessage(RPC_CODES[code] ?? SERVER_ERROR, message, { code, correlationId });
}

/** Issues as the SDK puts them into the message of an error: JSON after the name of the validator's error. */
const ISSUES = /"message":"[^"\\]*\[\\n/;

interface Issue {
  path: (string | number)[];
  message: string;
}

/** An answer whose error names each wrong field in a sentence, where the SDK would show a dump of its validator. */
export function inPlainWords(answer: string): string {
  if (!ISSUES.test(answer)) return answer;
  const { error, ...rest } = JSON.parse(answer) as { error?: { code: number; message: string } };
  const issues = error === undefined ? undefined : issuesIn(error.message);
  if (error === undefined || issues === undefined) return answer;
  const faults = issues.map(({ path, message }) => {
    const wrong = /^(?:is|must|can't|has) /.test(message) ? message : "has a value that isn't allowed";
    return `${path.length === 0 ? "The message" : path.join(".")} ${wrong}.`;
  });
  return JSON.stringify({ ...rest, error: { ...error, message: [...new Set(faults)].join(" ") } });
}

function issuesIn(message: string): Issue[] | undefined {
  try {
    return JSON.parse(message.slice(message.indexOf("["))) as Issue[];
  } catch {
    return undefined;
  }
}
