import type { Context } from "../../core/context.ts";
import type { HoldCause } from "../../domain/outreach/sending.ts";
import { renderedFields } from "../../domain/outreach/sequence.ts";
import type { FieldEdit } from "../../store/contacts.ts";
import type { ContactEnrollment, EnrollmentRow, Pin, RecipientRow, SequenceRow } from "../../store/outreach.ts";
import { hashCopy } from "./approvals.ts";

/** Why an enrollment is not authorized, or that it is again. */
export interface CauseOfHold {
  cause: HoldCause;
  /** The fields that changed, where that is the cause and it is known. */
  fields: string[];
  /** When that happened, where it is known. */
  at: number | null;
}

type Reading = Pick<Context, "store">;

/** The newest changes of a sequence that are searched for the one that voided an approval. */
const MAX_CHANGES = 20;

const isUnauthorized = ({ heldReason, endedAt }: EnrollmentRow) =>
  endedAt === null && (heldReason === "contact_changed" || heldReason === "not_authorised");

/**
 * What put these enrollments on hold, of those that no approval authorizes. A hold keeps only that something changed, so
 * this compares the records as they are now: with a few queries for each sequence, however many enrollments there are.
 *
 * @returns null for every other enrollment
 */
export async function causesOfHolds(ctx: Reading, rows: readonly EnrollmentRow[]): Promise<(CauseOfHold | null)[]> {
  const held = grouped(rows.filter(isUnauthorized), ({ sequenceId }) => sequenceId);
  const found = new Map<string, CauseOfHold>();
  for (const [sequenceId, ofSequence] of held) {
    const sequence = (await ctx.store.sequences.find(sequenceId)) as SequenceRow;
    const causes = await causesIn(ctx, sequence, ofSequence);
    for (const [i, { id }] of ofSequence.entries()) found.set(id, causes[i] as CauseOfHold);
  }
  return rows.map(({ id }) => found.get(id) ?? null);
}

/** Everything that may have spent or outdated the approvals of some contacts, each by the contact's id. */
interface Evidence {
  pins: Map<string, Pin[]>;
  recipients: Map<string, RecipientRow>;
  edits: Map<string, FieldEdit[]>;
  enrollments: Map<string, ContactEnrollment[]>;
  repliedAt: Map<string, number>;
  notInterested: ReadonlySet<string>;
  optedOut: ReadonlySet<string>;
}

async function causesIn(ctx: Reading, sequence: SequenceRow, rows: readonly EnrollmentRow[]): Promise<CauseOfHold[]> {
  const evidence = await gather(
    ctx,
    sequence,
    rows.map(({ contactId }) => contactId),
  );
  const causes: CauseOfHold[] = [];
  const uncovered = new Map<string, CauseOfHold>();
  for (const row of rows) {
    const applied = (evidence.pins.get(row.contactId) ?? []).filter(({ status }) => status === "applied");
    const newest = applied.toSorted((a, b) => (b.appliedAt ?? 0) - (a.appliedAt ?? 0))[0];
    if (newest === undefined) {
      const known = uncovered.get(row.approvalId) ?? (await causeWithoutApproval(ctx, row));
      uncovered.set(row.approvalId, known);
      causes.push(known);
    } else causes.push(causeOf(row, sequence, { applied, newest }, evidence));
  }
  return causes;
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

async function gather({ store }: Reading, sequence: SequenceRow, ids: readonly string[]): Promise<Evidence> {
  const pins = await store.approvals.pins(sequence.id, sequence.stepsHash, ids);
  const since = Math.min(...pins.map(({ approvedAt }) => approvedAt));
  const related = await store.suppressions.related(ids);
  const isRelated = (id: string) => {
    const { noted = {}, earlier, sameProfile } = related.get(id) ?? {};
    return earlier !== undefined || sameProfile !== undefined || Object.keys(noted).length > 0;
  };
  const byContact = <T extends { contactId: string }>(all: readonly T[]) => grouped(all, (one) => one.contactId);
  return {
    pins: byContact(pins),
    recipients: new Map((await store.approvals.recipients(ids)).map((one) => [one.id, one])),
    edits: byContact(pins.length === 0 ? [] : await store.contacts.editsSince(ids, since)),
    enrollments: byContact(await store.enrollments.ofContacts(sequence.id, ids)),
    repliedAt: new Map([...(await store.activities.lastReplies(ids))].map(([id, { at }]) => [id, at])),
    notInterested: await store.conversations.notInterested(ids),
    optedOut: new Set(ids.filter(isRelated)),
  };
}

interface Applied {
  applied: readonly Pin[];
  newest: Pin;
}

function causeOf(
  { contactId }: EnrollmentRow,
  { steps }: SequenceRow,
  { applied, newest }: Applied,
  evidence: Evidence,
): CauseOfHold {
  const recipient = evidence.recipients.get(contactId);
  const copyHash = recipient && hashCopy(recipient, steps);
  if (applied.some((pin) => pin.spentAt === null && pin.copyHash === copyHash)) {
    return { cause: "approved", fields: [], at: null };
  }
  if (newest.spentAt !== null) return { ...causeOfSpending(contactId, newest.spentAt, evidence), fields: [] };
  const pinned = ["email", "socialnet_url", ...renderedFields(steps)];
  const edits = (evidence.edits.get(contactId) ?? []).filter(
    ({ field, at }) => at > newest.approvedAt && pinned.includes(field),
  );
  const fields = pinned.filter((name) => edits.some(({ field }) => field === name));
  return { cause: "details_changed", fields, at: fields.length === 0 ? null : Math.max(...edits.map(({ at }) => at)) };
}

/** What spends an approval and leaves a trace records both at the same moment. */
function causeOfSpending(contactId: string, spentAt: number, evidence: Evidence): Omit<CauseOfHold, "fields"> {
  const repliedAt = evidence.repliedAt.get(contactId);
  const ended = (evidence.enrollments.get(contactId) ?? []).find(({ endedAt }) => endedAt === spentAt);
  if (ended?.status === "stopped_suppressed") return { cause: "opted_out", at: spentAt };
  if (repliedAt === spentAt) return { cause: "replied", at: spentAt };
  if (evidence.notInterested.has(contactId)) return { cause: "not_interested", at: spentAt };
  if (ended !== undefined) return { cause: "earlier_enrollment", at: spentAt };
  return { cause: evidence.optedOut.has(contactId) ? "opted_out" : "replaced", at: spentAt };
}

/** No activated approval of the current steps includes the contact. The one of the enrollment may have been voided. */
async function causeWithoutApproval(
  { store }: Reading,
  { approvalId, sequenceId }: EnrollmentRow,
): Promise<CauseOfHold> {
  const voidedAt = (await store.approvals.find(approvalId))?.voidedAt ?? null;
  if (voidedAt === null) return { cause: "not_approved", fields: [], at: null };
  const changes = await store.logs.auditOf(sequenceId, MAX_CHANGES);
  const edit = changes.find(({ at, action }) => at === voidedAt && action === "update_sequence");
  const isOfSteps = edit !== undefined && JSON.stringify(edit.before?.steps) !== JSON.stringify(edit.after?.steps);
  return { cause: isOfSteps ? "steps_changed" : "sender_changed", fields: [], at: voidedAt };
}
