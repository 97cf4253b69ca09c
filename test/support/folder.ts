import { rmSync } from "node:fs";
import { until } from "./until.ts";

/**
 * Deletes a folder that processes may still write to. Children of a killed browser live on for a moment. The retries of
 * `rmSync` don't help, since they don't look for new files.
 */
export async function removeFolder(folder: string): Promise<void> {
  await until(() => isRemoved(folder));
}

function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    return false;
  }
}
