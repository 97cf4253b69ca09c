import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";

export const createWorkspace = personOperation({
  name: "create_workspace",
  area: "workspaces",
  title: "Create a workspace",
  description: "Creates a workspace with active billing and no limits.",
  access: { permission: "operate" },
  effect: "write",
  founding: true,
  input: z.strictObject({ name: z.string().max(200).trim().min(1) }),
  output: z.object({ id: z.uuid(), name: z.string(), created_at: z.iso.datetime() }),
  async handler(ctx, { name }) {
    await ctx.store.workspace.create(name, ctx.now);
    await ctx.audit({ recordId: ctx.workspaceId, before: null, after: { name } });
    return { data: { id: ctx.workspaceId, name, created_at: iso(ctx.now) } };
  },
});
