import { z } from "zod";
import type { BackupProgress } from "../../core/server-probe.ts";
import { isoOrNull } from "../../lib/time.ts";

/** The backup that the server makes now, or why the last one failed. */
export const RunningBackup = z.object({
  started_at: z.iso.datetime().nullable().describe("Null if none is in progress."),
  failed: z.string().nullable().describe("Why the last one failed. Null if it didn't, or if there is a newer backup."),
});

/** @param lastAt when the last backup was made, by whichever process */
export function toRunningBackup(
  { startedAt, failed, failedAt }: BackupProgress,
  lastAt: number | null = null,
): z.infer<typeof RunningBackup> {
  const isOutdated = failedAt !== null && lastAt !== null && lastAt > failedAt;
  return { started_at: isoOrNull(startedAt), failed: isOutdated ? null : failed };
}
