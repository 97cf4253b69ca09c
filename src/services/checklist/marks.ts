import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { MarkedStatus, MarkSource } from "../../domain/checklist/status.ts";
import { dayOf } from "../../domain/time/date.ts";
import { iso } from "../../lib/time.ts";
import type { CardRow, Recorded } from "../../store/checklist.ts";
import { assessChecksAgain } from "./assessment.ts";

/** What the audit records of an item by a decision; nothing where the decision leaves the item alone. */
interface Marked {
  before: { mark?: Record<string, unknown> | null; recorded?: AuditedRecord };
  after: { mark?: Record<string, unknown> | null };
}
export const UNMARKED: Marked = { before: {}, after: {} };

/**
 * Marks the item of an approved or published proposal as done, in the person's name. A recurring item with its own check
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
  const before = { mark: await toRecord(ctx, itemId), recorded: toAudited(await readRecorded(ctx, itemId)) };
  const known = before.recorded.last_done_on ?? "";
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
  return { before, after: { mark: await toRecord(ctx, itemId) } };
}

/** All that is recorded for an item, as the audit keeps it. */
interface AuditedRecord {
  marks: {
    source: MarkSource;
    status: MarkedStatus;
    evidence: string | null;
    by: [string | null, string];
    at: string;
  }[];
  last_done_on: string | null;
}

async function readRecorded({ store }: Context, itemId: string): Promise<Recorded> {
  return { marks: await store.checklist.marksOf(itemId), lastDoneOn: await store.checklist.lastDoneOn(itemId) };
}

function toAudited({ marks, lastDoneOn }: Recorded): AuditedRecord {
  return {
    marks: marks.map(({ source, status, evidence, byId, byName, updatedAt }) => {
      return { source, status, evidence, by: [byId, byName], at: iso(updatedAt) };
    }),
    last_done_on: lastDoneOn,
  };
}

function fromAudited({ marks, last_done_on }: AuditedRecord): Recorded {
  return {
    marks: marks.map(({ source, status, evidence, by: [byId, byName], at }) => {
      return { source, status, evidence, byId, byName, updatedAt: Date.parse(at) };
    }),
    lastDoneOn: last_done_on,
  };
}

/**
 * Undoes what the approval of a card recorded for its item: the marks of every member and the day come back as they
 * were. A mark that a member has set since stays, with its day.
 */
export async function takeBackDone(ctx: Context, card: CardRow): Promise<Marked> {
  const { itemId, title, decidedAt } = card;
  const { checklist } = ctx.store;
  const approval = { evidence: approvedEvidence(title), updatedAt: decidedAt };
  const earlier = await recordedBefore(ctx, card.id, approval);
  if (earlier === undefined) return UNMARKED;
  const now = await readRecorded(ctx, itemId);
  const before = { mark: await toRecord(ctx, itemId) };
  const member = now.marks.find(({ source }) => source === "member");
  if (isMarkOf(member, approval)) await checklist.restore(itemId, await withoutWithdrawn(ctx, itemId, earlier));
  else if (member !== undefined && member.status !== "done" && now.lastDoneOn === dayOf(decidedAt ?? 0)) {
    // A member's mark that is not done has no day of its own: this one is from the approval.
    await checklist.restore(itemId, { marks: now.marks, lastDoneOn: earlier.lastDoneOn });
  } else return UNMARKED;
  return { before, after: { mark: await toRecord(ctx, itemId) } };
}

/** What identifies the mark that an approval left. */
interface Left {
  evidence: string | null;
  updatedAt: number | null;
}

const isMarkOf = (mark: Left | undefined, { evidence, updatedAt }: Left) =>
  mark?.evidence === evidence && mark.updatedAt === updatedAt;

/** What was recorded for the item when a card was approved; undefined where that approval recorded nothing. */
async function recordedBefore({ store }: Context, cardId: string, { updatedAt }: Left): Promise<Recorded | undefined> {
  const decisions = await store.logs.auditOf(cardId, MAX_DECISIONS);
  const recorded = decisions.flatMap(
    ({ at, before }) => (at === updatedAt && (before as Marked["before"])?.recorded) || [],
  );
  return recorded[0] && fromAudited(recorded[0]);
}

/** More approvals of one item are not withdrawn one after the other. */
const MAX_DECISIONS = 20;

/** What was recorded before a card's approval, without the mark of another card whose approval was withdrawn since. */
async function withoutWithdrawn(ctx: Context, itemId: string, recorded: Recorded): Promise<Recorded> {
  const { rows } = await ctx.store.cards.list({ itemId }, { limit: MAX_DECISIONS, offset: 0 });
  let found = recorded;
  for (let i = 0; i < rows.length; i += 1) {
    const mark = found.marks.find(({ source }) => source === "member");
    const left = mark && rows.filter(({ title }) => approvedEvidence(title) === mark.evidence);
    if (mark === undefined || left?.some(({ decidedAt }) => decidedAt === mark.updatedAt)) return found;
    const earlier = await Promise.all((left ?? []).map(({ id }) => recordedBefore(ctx, id, mark)));
    const before = earlier.find((one) => one !== undefined);
    if (before === undefined) return found;
    found = before;
  }
  return found;
}

/** The evidence that the approval of a card records. */
export const approvedEvidence = (title: string) => `Approved: ${title}`;

/**
 * Runs the service's checks again after the checklist's own data has changed. A check that fails never fails the
 * person's call: its result waits for the next assessment.
 */
export async function recheck(ctx: Context): Promise<void> {
  await assessChecksAgain(ctx.store, ctx.catalog, ctx.now).catch((error: unknown) =>
    ctx.missed("checklist_checks", error),
  );
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
export function dayDone({ now }: Pick<Context, "now">, status: string, done_on: string | undefined): string | null {
  const today = dayOf(now);
  if (status !== "done") {
    if (done_on === undefined) return null;
    throw problem("validation_failed", "done_on: can only be set with status done. Remove it.");
  }
  if (done_on !== undefined && done_on > today) {
    throw problem("validation_failed", `done_on: can't be in the future. Today is ${today} in UTC.`);
  }
  return done_on ?? today;
}
