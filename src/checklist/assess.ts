import type { Catalog } from "../domain/checklist-catalog.ts";
import { dueOf } from "../domain/checklist-due.ts";
import type { CatalogItem } from "../domain/checklist-item.ts";
import type { Assessment, MarkedStatus } from "../domain/checklist-status.ts";
import { dayOf } from "../domain/date.ts";
import type { AssessmentRow, MarkRow, NewMark } from "../store/checklist.ts";
import type { WorkspaceStore } from "../store/store.ts";
import { runCheck } from "./checks.ts";

/** By whom a mark of the service was made, for whoever reads it. */
const SERVICE = "Rostrum";

/**
 * Judges every item of the catalog by what Rostrum itself holds, and stores what it found. Where a check of the item
 * tells, the item is marked too, unless a person has. It runs inside a write, so that it stands whole or not at all.
 */
export async function assessWorkspace(store: WorkspaceStore, catalog: Catalog, now: number): Promise<AssessmentRow[]> {
  const detected = new Map((await detect(store, catalog, now)).map((row) => [row.itemId, row]));
  const marks = new Map((await store.checklist.marks()).map((mark) => [mark.itemId, mark]));
  const days = new Map((await store.checklist.days()).map(({ itemId, lastDoneOn }) => [itemId, lastDoneOn]));
  const rows = catalog.items.map((item) => {
    const judged = () => judge(item, marks.get(item.id), days.get(item.id), now);
    return detected.get(item.id) ?? { itemId: item.id, ...judged(), assessedAt: now };
  });
  await store.checklist.replaceAssessments(rows);
  return rows;
}

/** Looks again at what checks of the catalog tell, after a change that they may see; the rest waits for its time. */
export async function detectAgain(store: WorkspaceStore, catalog: Catalog, now: number): Promise<void> {
  for (const row of await detect(store, catalog, now)) await store.checklist.saveAssessment(row);
}

/** Runs every check, and only then makes the service's marks what they tell. */
async function detect(store: WorkspaceStore, catalog: Catalog, now: number): Promise<AssessmentRow[]> {
  const rows: AssessmentRow[] = [];
  const marks: NewMark[] = [];
  for (const item of catalog.items) {
    const { detected_by, executor } = item;
    if (detected_by === null || executor.replaced_by !== null) continue;
    const found = await runCheck(store, detected_by, now);
    rows.push({ itemId: item.id, ...found, assessedAt: now });
    marks.push(...markOf(item, found, now));
  }
  await store.checklist.keepDetections(marks.map(({ itemId }) => itemId));
  for (const mark of marks) await store.checklist.recordDetection(mark);
  return rows;
}

/** Judges an item that no check tells of. */
function judge(item: CatalogItem, mark: MarkRow | undefined, lastDoneOn: string | undefined, now: number): Assessment {
  const { replaced_by } = item.executor;
  if (replaced_by !== null) {
    const sources = [{ kind: "item", id: replaced_by, label: "The item that took its place" }];
    return { state: "not_applicable", reason: `Replaced by ${replaced_by}.`, sources };
  }
  if (mark?.source === "agent") return byEvidence(item, mark, lastDoneOn, now);
  return {
    state: "unknown",
    reason: `${UNSEEN[item.executor.evidence_verdict]} at the assessment of ${dayOf(now)}.`,
    sources: [],
  };
}

/** Why nobody could tell, of items that Rostrum's own data says nothing of. The day says that more may have come since. */
const UNSEEN: Record<CatalogItem["executor"]["evidence_verdict"], string> = {
  observation: "Rostrum cannot see this for itself, and no assistant had recorded evidence",
  output: "Rostrum cannot see this for itself, and no output was approved for it",
  service: "Rostrum had no data on this",
  person: "Only a person can tell, and nobody had said",
};

/** An assistant's evidence holds until the item falls due again. */
function byEvidence(item: CatalogItem, mark: MarkRow, lastDoneOn: string | undefined, now: number): Assessment {
  const sources = [{ kind: "evidence", id: mark.byId, label: `${mark.byName} on ${dayOf(mark.updatedAt)}` }];
  const reason = mark.evidence ?? `${mark.byName} recorded it.`;
  const { state, due_on } = dueOf(item, mark, lastDoneOn, dayOf(now));
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
function markOf(item: CatalogItem, { state, reason: evidence }: Assessment, now: number): NewMark[] {
  const alone = item.executor.evidence_verdict === "service";
  const status = state === "missing" && !alone ? undefined : MARKED[state];
  if (status === undefined) return [];
  const doneOn = status === "done" ? dayOf(now) : null;
  return [{ itemId: item.id, status, evidence, doneOn, byId: null, byName: SERVICE, updatedAt: now }];
}
