import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { recheck } from "../../services/checklist/marks.ts";
import { ProfileFacts, toProfileFacts } from "./voice-schema.ts";

export const saveProfileFacts = personOperation({
  name: "save_profile_facts",
  area: "checklist",
  title: "Save profile facts",
  description: "Replaces the list of claims that drafts can make. An empty list allows no claims.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  input: z.strictObject({
    facts: z
      .array(z.string().max(500).trim().min(1))
      .max(100)
      .describe("One claim per entry. Each must be true, checked by a person, and suitable for the public."),
  }),
  output: ProfileFacts,
  async handler(ctx, { facts }) {
    const saved = await ctx.store.voice.profileFacts();
    const before = saved === undefined ? null : toProfileFacts(saved);
    if (before !== null && isDeepStrictEqual(before.facts, facts)) return { data: before, record: ctx.workspaceId };
    const row = { facts, savedBy: ctx.actor.name, savedAt: ctx.now };
    await ctx.store.voice.saveProfileFacts(row);
    await recheck(ctx);
    const data = toProfileFacts(row);
    await ctx.audit({ recordId: ctx.workspaceId, before, after: data });
    return { data, record: ctx.workspaceId };
  },
});
