import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { BILLING_STATES, type Billing, isLimited } from "../../domain/access/billing.ts";
import { givenTime } from "../fields.ts";
import { toBilling, WorkspaceBilling } from "./workspace-schema.ts";

export const setBilling = personOperation({
  name: "set_billing",
  area: "workspaces",
  title: "Set billing",
  description:
    "Sets the billing state. The workspace becomes read-only when a trial or a fixed term (financed) ends, or " +
    "billing is delinquent. Then contacts, deals and sequences can't be added or changed, and nothing can be " +
    "approved or enrolled. Opt-outs, archiving, pausing and most settings still work, and so do the agents' " +
    "commands for approved social actions.",
  access: { permission: "administer" },
  effect: "write",
  input: z
    .strictObject({
      state: z.enum(BILLING_STATES).describe("How the workspace is paid for."),
      ends_at: givenTime
        .nullish()
        .describe("When the trial or the fixed term ends (RFC 3339). Only for trial and financed."),
    })
    .refine(({ state, ends_at }) => !isLimited(state) || ends_at != null, {
      path: ["ends_at"],
      error: "is required for trial and financed billing. Enter when it ends",
    })
    .refine(({ state, ends_at }) => isLimited(state) || ends_at == null, {
      path: ["ends_at"],
      error: "can't be set for active and delinquent billing. Leave it blank",
    }),
  output: WorkspaceBilling,
  async handler(ctx, { state, ends_at }) {
    const before = await ctx.store.workspace.billing();
    const after: Billing = { state, endsAt: ends_at == null ? null : Date.parse(ends_at) };
    const shown = toBilling(after, ctx.now);
    if (!isDeepStrictEqual(before, after)) {
      await ctx.store.workspace.setBilling(after);
      await ctx.audit({ recordId: ctx.workspaceId, before: toBilling(before, ctx.now), after: shown });
    }
    return { data: shown, record: ctx.workspaceId };
  },
});
