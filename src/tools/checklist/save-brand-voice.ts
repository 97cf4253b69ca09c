import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { recheck } from "../../services/checklist/marks.ts";
import { BrandVoice, toBrandVoice } from "./voice-schema.ts";

export const saveBrandVoice = personOperation({
  name: "save_brand_voice",
  area: "checklist",
  title: "Save the brand voice",
  description: "Replaces the workspace's brand voice. Agents read it before they draft.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  input: z.strictObject({
    text: z.string().max(8_000).trim().min(1).describe("How drafts should sound, and how they should not."),
  }),
  output: BrandVoice,
  async handler(ctx, { text }) {
    const before = toBrandVoice(await ctx.store.voice.brandVoice());
    if (before?.text === text) return { data: before, record: ctx.workspaceId };
    const row = { text, savedBy: ctx.actor.name, savedAt: ctx.now };
    await ctx.store.voice.saveBrandVoice(row);
    await recheck(ctx);
    const data = toBrandVoice(row) as z.infer<typeof BrandVoice>;
    await ctx.audit({ recordId: ctx.workspaceId, before, after: data });
    return { data, record: ctx.workspaceId };
  },
});
