import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { CONNECTION_STAGES } from "../../domain/access/connections.ts";
import { iso } from "../../lib/time.ts";
import { nextStep } from "../../services/access/connection-help.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

export const listClientConnections = personOperation({
  name: "list_client_connections",
  area: "keys",
  title: "List client connections",
  description:
    "Lists the latest 500 attempts of MCP clients to connect to this server, from all workspaces, newest first. " +
    "Each shows how far it got, its error, and what to do next. The list is in the memory of the running server, " +
    "so it is empty after a restart and on the command line.",
  access: { permission: "operate" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(
    z.object({
      id: z.uuid(),
      client: z.string().nullable().describe("The name that the client sent. Not verified."),
      user_agent: z.string().nullable(),
      network: z.string().nullable().describe("The network it connects from: the address without its last part."),
      stage: z
        .enum(CONNECTION_STAGES)
        .describe('The last step that it reached. A client that already has an API key starts at the step "key".'),
      error: z.object({ code: z.string(), message: z.string() }).nullable().describe("The last error after this step."),
      next_step: z.string().nullable().describe("What to do. Null while the client is still connecting."),
      key_name: z.string().nullable(),
      key_prefix: z.string().nullable(),
      started_at: z.iso.datetime(),
      last_at: z.iso.datetime().describe("When it last reached a new step or got an error. Later calls don't count."),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, page) {
    const all = ctx.connections();
    const data = all.slice(page.offset, page.offset + page.limit).map((attempt) => ({
      id: attempt.id,
      client: attempt.client,
      user_agent: attempt.userAgent,
      network: attempt.network,
      stage: attempt.stage,
      error: attempt.error,
      next_step: nextStep(attempt, ctx.now),
      key_name: attempt.keyName,
      key_prefix: attempt.keyPrefix,
      started_at: iso(attempt.startedAt),
      last_at: iso(attempt.lastAt),
    }));
    return { data, meta: listMeta(page, data.length, all.length) };
  },
});
