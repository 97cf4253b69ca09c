import type { Catalog } from "../domain/checklist-catalog.ts";
import { dueOf } from "../domain/checklist-due.ts";
import type { CatalogItem } from "../domain/checklist-item.ts";
import type { Assessment, MarkedStatus } from "../domain/checklist-status.ts";
import { dayOf } from "../domain/date.ts";
import type { AssessmentRow, MarkRow } from "../store/checklist.ts";
import type { WorkspaceStore } from "../store/store.ts";
import { runCheck } from "./checks.ts";

/** By whom a mark of the service was made, for whoever reads it. */
const SERVICE = "Rostrum";

/**
 * Judges every item of the catalog by what Rostrum itself holds, and stores what it found. Where a check of the item
 * tells, the item is marked too, unless a person has. It runs inside a write, so that it stands whole or not at all.
 */
export async function assessWorkspace(store: WorkspaceStore, catalog: Catalog, now: number): Promise<AssessmentRow[]> {
  const marks = new Map((await store.checklist.marks()).map((mark) => [mark.itemId, mark]));
  const rows: AssessmentRow[] = [];
  for (const item of catalog.items) {
    const found = await judge(store, item, marks.get(item.id), now);
    rows.push({ itemId: item.id, ...found, assessedAt: now });
    if (isDetected(item)) await mark(store, item, found, now);
  }
  await store.checklist.replaceAssessments(rows);
  return rows;
}

/** Looks again at what checks of the catalog tell, after a change that they may see; the rest waits for its week. */
export async function detectAgain(store: WorkspaceStore, catalog: Catalog, now: number): Promise<void> {
  for (const item of catalog.items.filter(isDetected)) {
    const found = await judge(store, item, undefined, now);
    await store.checklist.saveAssessment({ itemId: item.id, ...found, assessedAt: now });
    await mark(store, item, found, now);
  }
}

function isDetected({ detected_by, executor }: CatalogItem): boolean {
  return detected_by !== null && executor.replaced_by === null;
}

async function judge(
  store: WorkspaceStore,
  item: CatalogItem,
  mark: MarkRow | undefined,
  now: number,
): Promise<Assessment> {
  const { replaced_by } = item.executor;
  if (replaced_by !== null) {
    const sources = [{ kind: "item", id: replaced_by, label: "The item that took its place" }];
    return { state: "not_applicable", reason: `Replaced by ${replaced_by}.`, sources };
  }
  if (item.detected_by !== null) return runCheck(store, item.detected_by, now);
  if (mark?.source === "agent") return byEvidence(item, mark, now);
  return { state: "unknown", reason: UNSEEN[item.executor.evidence_verdict], sources: [] };
}

/** Why nobody can tell, of items that Rostrum's own data says nothing of. */
const UNSEEN: Record<CatalogItem["executor"]["evidence_verdict"], string> = {
  observation: "Rostrum cannot see this for itself, and no assistant has recorded evidence.",
  output: "Rostrum cannot see this for itself, and no output was approved for it.",
  service: "Rostrum has no data on this.",
  person: "Only a person can tell, and nobody has said.",
};

/** An assistant's evidence holds until the item falls due again. */
function byEvidence(item: CatalogItem, mark: MarkRow, now: number): Assessment {
  const sources = [{ kind: "evidence", id: mark.byId, label: `${mark.byName} on ${dayOf(mark.updatedAt)}` }];
  const reason = mark.evidence ?? `${mark.byName} recorded it.`;
  const { state, due_on } = dueOf(item, mark, dayOf(now));
  if (mark.status !== "done") return { state: "missing", reason, sources };
  if (state === "overdue") return { state: "missing", reason: `Due again since ${due_on}. ${reason}`, sources };
  return { state: "done", reason, sources };
}

const MARKED: Record<Assessment["state"], MarkedStatus | undefined> = {
  done: "done",
  missing: "not_started",
  not_applicable: "not_applicable",
  unknown: undefined,
};

/**
 * What the service sees becomes its mark. That it sees nothing is a mark only where it alone can tell: elsewhere an
 * assistant may have seen what Rostrum does not hold.
 */
async function mark({ checklist }: WorkspaceStore, item: CatalogItem, { state, reason }: Assessment, now: number) {
  const alone = item.executor.evidence_verdict === "service";
  const status = state === "missing" && !alone ? undefined : MARKED[state];
  if (status === undefined) {
    await checklist.removeMark(item.id, "system");
    return;
  }
  await checklist.recordDetection({
    ...{ itemId: item.id, status, evidence: reason, lastDoneOn: status === "done" ? dayOf(now) : null },
    ...{ byId: null, byName: SERVICE, updatedAt: now },
  });
}
