import { openApi } from "../rest/openapi.ts";
import { operations } from "../tools/index.ts";

/** `rostrum openapi`: the description as the server serves it. */
export function printOpenApi(): void {
  process.stdout.write(`${JSON.stringify(openApi(operations), null, 2)}\n`);
}
