import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageFile } from "../../lib/package.ts";

const text = readFileSync(packageFile("docs/agent-instructions.md"), "utf8");

/** The instructions for the agent of a socialnet account. The version changes with every change of the text. */
export const AGENT_INSTRUCTIONS = {
  version: createHash("sha256").update(text).digest("hex").slice(0, 12),
  text,
};
