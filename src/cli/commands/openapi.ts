import { openApi } from "../../rest/openapi.ts";
import { operations } from "../../tools/index.ts";
import { type DataOptions, printData } from "../terminal.ts";

/** `rostrum openapi`: the description as the server serves it. */
export function printOpenApi(options: DataOptions): void {
  const description = openApi(operations);
  printData(description, options, () => JSON.stringify(description, null, 2));
}
