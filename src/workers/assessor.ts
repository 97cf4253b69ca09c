import type { Catalog } from "../domain/checklist/catalog.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import { assessWorkspace } from "../services/checklist/assessment.ts";
import type { Store } from "../store/store.ts";
import type { Job } from "./supervisor.ts";

/** What people save or decide is judged at once: this is for what only time changes. */
const ASSESS_EVERY_MS = 7 * DAY_MS;
/** In one run: soon enough over to let a stop through, and the next run is a minute away. */
const MAX_AT_A_TIME = 100;

/**
 * Assesses the checklist of each workspace once a week, and right after the catalog has changed. The claim, the verdicts
 * and the marks are one transaction: of several servers one does it, and what a crash interrupts is done again. A
 * workspace whose assessment fails delays no other one, and is tried again in an hour.
 */
export function assessChecklists(store: Store, catalog: () => Catalog, clock: Clock, log: Log): Job {
  const claimAt = (at: number) => ({ at, before: clock.now() - ASSESS_EVERY_MS, catalogVersion: catalog().version });

  const assess = (workspaceId: string) =>
    store.write(workspaceId, async (bound) => {
      const now = clock.now();
      if (await bound.checklist.claimAssessment(claimAt(now))) await assessWorkspace(bound, catalog(), now);
    });

  const defer = (workspaceId: string) =>
    store.write(workspaceId, ({ checklist }) =>
      checklist.claimAssessment(claimAt(clock.now() - ASSESS_EVERY_MS + HOUR_MS)),
    );

  return {
    name: "assess_checklists",
    everyMs: MINUTE_MS,
    async run(signal) {
      const { before, catalogVersion } = claimAt(clock.now());
      for (const workspaceId of await store.assessmentsDue(before, catalogVersion, MAX_AT_A_TIME)) {
        if (signal?.aborted) return;
        try {
          await assess(workspaceId);
        } catch (error) {
          log.error({ err: error, workspaceId }, "a checklist could not be assessed; retrying in an hour");
          await defer(workspaceId);
        }
      }
    },
  };
}
