import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { hasAnyScope } from "../../core/policy.ts";
import { RESOURCES } from "./catalog.ts";

export const listResources = agentOperation({
  name: "list_resources",
  area: "resources",
  title: "List resources",
  description: "Lists the texts that the caller can read, each with its uri.",
  access: { scope: null },
  tool: false,
  rpc: "resources/list",
  budget: "none",
  idempotent: false,
  effect: "read",
  input: z.object({ cursor: z.string().optional().describe("Accepted but ignored, because there is only one page.") }),
  output: z.object({
    resources: z.array(
      z.object({
        uri: z.string(),
        name: z.string(),
        title: z.string(),
        description: z.string(),
        mimeType: z.literal("text/markdown"),
      }),
    ),
  }),
  async handler({ actor }) {
    const mine = RESOURCES.filter(({ scopes }) => hasAnyScope(actor, scopes));
    const resources = mine.map(({ uri, name, title, description }) => ({
      ...{ uri, name, title, description },
      mimeType: "text/markdown" as const,
    }));
    return { data: { resources } };
  },
});
