import type { ToolAnnotations } from "../operation.ts";

/** A tool that only reads this workspace. */
export const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
