import { z } from "zod";
import type { OutreachPause } from "../../store/workspaces.ts";

export const reason = z.string().trim().min(1).max(500).optional();

export const Pause = z.object({
  paused_at: z.iso.datetime().nullable().describe("Null where outreach goes on."),
  pause_reason: z.string().nullable(),
});

export function toPause({ pausedAt, reason: pause_reason }: OutreachPause): z.infer<typeof Pause> {
  return { paused_at: pausedAt === null ? null : new Date(pausedAt).toISOString(), pause_reason };
}
