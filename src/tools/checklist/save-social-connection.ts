import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ALL_CHANNELS, CONNECTION_STATES } from "../../domain/checklist/channel.ts";
import { recheck } from "../../services/checklist/marks.ts";
import { SocialConnection, toConnection } from "./voice-schema.ts";

export const saveSocialConnection = personOperation({
  name: "save_social_connection",
  area: "checklist",
  title: "Save the status of a channel",
  description:
    "Sets the status and the public name of the workspace's account on a channel. Each channel has one account. No " +
    "credentials are stored, because people publish on the channel itself.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  input: z.strictObject({
    channel: z.enum(ALL_CHANNELS).describe("The channel."),
    state: z
      .enum(CONNECTION_STATES)
      .describe("connected: signed in and in use. expired: needs a new sign-in. disconnected: not in use."),
    handle: z
      .string()
      .max(200)
      .trim()
      .optional()
      .transform((text) => text || null)
      .meta({ description: "The account's public name. Never a password or a token." }),
  }),
  output: SocialConnection,
  async handler(ctx, { channel, state, handle }) {
    const saved = (await ctx.store.voice.socialConnections()).find((row) => row.channel === channel);
    const before = saved === undefined ? null : toConnection(saved);
    if (before?.state === state && before.handle === handle) return { data: before, record: channel };
    const row = { channel, state, handle, savedBy: ctx.actor.name, savedAt: ctx.now };
    await ctx.store.voice.saveSocialConnection(row);
    await recheck(ctx);
    const data = toConnection(row);
    await ctx.audit({ recordId: channel, before, after: data });
    return { data, record: channel };
  },
});
