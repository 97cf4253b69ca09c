import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { MarkedStatus } from "../../domain/checklist/status.ts";
import { dayOf } from "../../domain/time/date.ts";
import type { CardRow } from "../../store/checklist.ts";
import { assessChecksAgain } from "./assessment.ts";

/** An item's mark before and after a decision; nothing where the decision leaves it alone. */
interface Marked {
  before: { mark?: Record<string, unknown> | null };
  after: { mark?: Record<string, unknown> | null };
}
export const UNMARKED: Marked = { before: {}, after: {} };

/**
 * Marks the item of an approved or published proposal as done, in the person's name. An ongoing item with its own check
 * is left to the check, which a person's mark would override for good. Returns what the audit records of it.
 */
export async function recordDone(
  ctx: Context,
  itemId: string,
  evidence: string,
  doneAt: number = ctx.now,
): Promise<Marked> {
  const { store, actor, catalog, now } = ctx;
  const item = catalog.items.find(({ id }) => id === itemId);
  if (item === undefined || (item.kind === "ongoing" && item.detected_by !== null)) return UNMARKED;
  const before = await toRecord(ctx, itemId);
  const known = (await store.checklist.lastDoneOn(itemId)) ?? "";
  const day = dayOf(doneAt);
  await store.checklist.setMark({
    itemId,
    status: "done",
    evidence,
    doneOn: day < known ? known : day,
    byId: actor.id,
    byName: actor.name,
    updatedAt: now,
  });
  return { before: { mark: before }, after: { mark: await toRecord(ctx, itemId) } };
}

/**
 * Takes back the mark that the approval of a card left on its item, if that is still there. What was recorded before
 * comes back in the name of the member who takes it back.
 */
export async function takeBackDone(ctx: Context, cardId: string, card: CardRow): Promise<Marked> {
  const { store, actor, now } = ctx;
  const { itemId, title, decidedAt } = card;
  const mark = await store.checklist.mark(itemId);
  if (mark?.source !== "member" || mark.evidence !== approvedEvidence(title) || mark.updatedAt !== decidedAt) {
    return UNMARKED;
  }
  const marked = { mark: await toRecord(ctx, itemId) };
  const decisions = await store.logs.auditOf(cardId, 1);
  const earlier = (decisions[0]?.before as Marked["before"] | null)?.mark;
  await store.checklist.removeMark(itemId);
  const doneOn = (earlier?.last_done_on as string | null | undefined) ?? null;
  if (earlier?.status_source === "member" || doneOn !== null) {
    const status = earlier?.status_source === "member" ? (earlier.status as MarkedStatus) : "not_started";
    const evidence = earlier?.status_source === "member" ? (earlier.evidence as string | null) : null;
    await store.checklist.setMark({
      itemId,
      status,
      evidence,
      doneOn,
      byId: actor.id,
      byName: actor.name,
      updatedAt: now,
    });
  }
  return { before: marked, after: { mark: await toRecord(ctx, itemId) } };
}

/** The evidence that the approval of a card records. */
export const approvedEvidence = (title: string) => `Approved: ${title}`;

/**
 * Runs the service's checks again after the checklist's own data has changed. A check that fails never fails the
 * person's call: its result waits for the next assessment.
 */
export async function recheck({ store, catalog, now, missed }: Context): Promise<void> {
  await assessChecksAgain(store, catalog, now).catch((error: unknown) => missed("checklist_checks", error));
}

/** What is recorded for an item, as the audit records it. */
export async function toRecord({ store }: Context, itemId: string): Promise<Record<string, unknown> | null> {
  const mark = await store.checklist.mark(itemId);
  const last_done_on = await store.checklist.lastDoneOn(itemId);
  if (mark === undefined) return last_done_on === null ? null : { status: "not_assessed", last_done_on };
  const { status, evidence, source, byName } = mark;
  return { status, evidence, last_done_on, status_source: source, recorded_by: byName };
}

/**
 * The day that a mark is for: of a done one the given day or today, of others none.
 *
 * @throws Problem validation_failed
 */
export function dayDone({ now }: Context, status: string, done_on: string | undefined): string | null {
  const today = dayOf(now);
  if (status !== "done") {
    if (done_on === undefined) return null;
    throw problem("validation_failed", "done_on: goes with status done alone; leave it out.");
  }
  if (done_on !== undefined && done_on > today) {
    throw problem("validation_failed", `done_on: lies in the future; today is ${today} in UTC.`);
  }
  return done_on ?? today;
}
