import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../../docs/agent-instructions.md", import.meta.url), "utf8");

/** The instructions for the agent of a socialnet account. The version changes with every change of the text. */
export const AGENT_INSTRUCTIONS = {
  version: createHash("sha256").update(text).digest("hex").slice(0, 12),
  text,
};
