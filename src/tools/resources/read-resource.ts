import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { hasAnyScope } from "../../core/policy.ts";
import { problem } from "../../core/problem.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import { RESOURCES } from "./catalog.ts";

export const readResource = agentOperation({
  name: "read_resource",
  area: "resources",
  title: "Read a resource",
  description: "Reads a text for agents by its uri, such as agent instructions, brand voice or profile facts.",
  access: { scope: null },
  tool: false,
  rpc: "resources/read",
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["resource_not_found"],
  input: z.object({ uri: z.string().describe("The uri of a resource, from resources/list.") }),
  output: z.object({
    contents: z.array(z.object({ uri: z.string(), mimeType: z.literal("text/markdown"), text: z.string() })),
  }),
  async handler(ctx, { uri }) {
    const resource = RESOURCES.find((one) => one.uri === uri && hasAnyScope(ctx.actor, one.scopes));
    if (resource === undefined) {
      throw problem(
        "resource_not_found",
        `No resource has the uri ${JSON.stringify(uri)}. List the uris with resources/list.`,
        {
          extra: { uri },
        },
      );
    }
    const text = await resource.read(ctx);
    return { data: { contents: [{ uri, mimeType: "text/markdown" as const, text: revealHidden(text) ?? text }] } };
  },
});
