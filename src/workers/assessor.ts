import { assessWorkspace } from "../checklist/assess.ts";
import type { Clock } from "../context.ts";
import type { Catalog } from "../domain/checklist-catalog.ts";
import type { Store } from "../store/store.ts";
import type { Chore } from "./supervisor.ts";

const WEEK_MS = 7 * 86_400_000;
/** In one run: soon enough over to let a stop through, and the next run is a minute away. */
const MOST_AT_A_TIME = 100;

/**
 * Assesses the checklist of each workspace once a week. The claim, the verdicts and the marks are one transaction: of
 * several servers one does it, and what a crash cuts off is done again.
 */
export function assessChecklists(store: Store, catalog: () => Catalog, clock: Clock): Chore {
  return {
    name: "assess_checklists",
    everyMs: 60_000,
    async run(signal) {
      const due = await store.assessedBy(clock.now() - WEEK_MS, MOST_AT_A_TIME);
      for (const workspaceId of due) {
        if (signal?.aborted) return;
        await store.write(workspaceId, async (bound) => {
          const now = clock.now();
          if (!(await bound.checklist.claimAssessment(now, now - WEEK_MS))) return;
          await assessWorkspace(bound, catalog(), now);
        });
      }
    },
  };
}
