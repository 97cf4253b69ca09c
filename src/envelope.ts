import { JsonText } from "./json-text.ts";
import type { Result } from "./operation.ts";
import type { Problem } from "./problem.ts";

/** The one envelope, as JSON text: `{ data, error: null }`, with `meta` between them for lists. */
export function success({ data, meta }: Result<unknown>): string {
  const rest = meta === undefined ? "" : `,"meta":${JSON.stringify(meta)}`;
  return `{"data":${JsonText.stringify(data)}${rest},"error":null}`;
}

/** `{ data: null, error, code }`, with what the problem adds; `correlationId` on the unexpected alone. */
export function failure(problem: Problem, correlationId?: string): string {
  return JSON.stringify({
    data: null,
    error: problem.message,
    code: problem.code,
    ...problem.extra,
    ...(correlationId === undefined ? {} : { correlationId }),
  });
}
