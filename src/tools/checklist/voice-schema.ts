import { z } from "zod";
import { ALL_CHANNELS, CONNECTION_STATES } from "../../domain/checklist/channel.ts";
import { iso } from "../../lib/time.ts";
import type { BrandVoiceRow, ProfileFactsRow, SocialConnectionRow } from "../../store/checklist.ts";

const saved = { saved_by: z.string(), saved_at: z.iso.datetime() };

const toSaved = ({ savedBy, savedAt }: { savedBy: string; savedAt: number }) => ({
  saved_by: savedBy,
  saved_at: iso(savedAt),
});

export const BrandVoice = z.object({ text: z.string(), ...saved });

export const ProfileFacts = z.object({ facts: z.array(z.string()), ...saved });

export const SocialConnection = z.object({
  channel: z.enum(ALL_CHANNELS),
  state: z.enum(CONNECTION_STATES),
  handle: z.string().nullable(),
  ...saved,
});

export function toBrandVoice(row: BrandVoiceRow | undefined): z.infer<typeof BrandVoice> | null {
  return row === undefined ? null : { text: row.text, ...toSaved(row) };
}

export function toProfileFacts(row: ProfileFactsRow): z.infer<typeof ProfileFacts> {
  return { facts: row.facts, ...toSaved(row) };
}

export function toConnection(row: SocialConnectionRow): z.infer<typeof SocialConnection> {
  return { channel: row.channel, state: row.state, handle: row.handle, ...toSaved(row) };
}
