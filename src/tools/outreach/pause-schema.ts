import { z } from "zod";
import { isoOrNull } from "../../lib/time.ts";
import type { OutreachPause } from "../../store/access.ts";

export const pauseReason = z.string().max(500).trim().min(1).optional();

export const Pause = z.object({
  paused_at: z.iso.datetime().nullable().describe("Null while outreach is not paused."),
  pause_reason: z.string().nullable(),
});

export function toPause({ pausedAt, reason: pause_reason }: OutreachPause): z.infer<typeof Pause> {
  return { paused_at: isoOrNull(pausedAt), pause_reason };
}
