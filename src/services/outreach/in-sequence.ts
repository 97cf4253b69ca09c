import type { Context } from "../../core/context.ts";
import { ON_RECORD } from "../../domain/contacts/contact.ts";
import { OPEN_ENROLLMENT } from "../../domain/outreach/sequence.ts";
import type { ContactEnrollment, Pin, RecipientRow, SequenceRow } from "../../store/outreach.ts";
import { hashCopy } from "./approvals.ts";

/** How far a contact is in a sequence that they would be approved for. */
export const SEQUENCE_STATES = {
  approved: "In an approved audience that isn't activated yet.",
  activated: "In an activated audience, and not enrolled.",
  enrolled: "Enrolled in the sequence.",
  on_hold: "Enrolled, and on hold for review.",
  ended: "Was enrolled before.",
} as const;

export interface InSequence {
  state: keyof typeof SEQUENCE_STATES;
  /** Whether an approval covers the contact as they are now, so that another approval would change nothing. */
  covered: boolean;
  /** Since when. */
  at: number;
}

/** How far contacts are in a sequence, with two queries for all of them. Contacts who are not in it are left out. */
export async function findInSequence(
  { store }: Pick<Context, "store">,
  { id, steps, stepsHash }: SequenceRow,
  recipients: readonly RecipientRow[],
): Promise<Map<string, InSequence>> {
  const ids = recipients.map((one) => one.id);
  const newest = new Map<string, ContactEnrollment>();
  for (const enrollment of await store.enrollments.ofContacts(id, ids)) {
    const known = newest.get(enrollment.contactId);
    if (known === undefined || known.enrolledAt <= enrollment.enrolledAt) newest.set(enrollment.contactId, enrollment);
  }
  const pins = new Map<string, Pin[]>();
  for (const pin of await store.approvals.pins(id, stepsHash, ids)) {
    if (pin.spentAt === null) pins.set(pin.contactId, [...(pins.get(pin.contactId) ?? []), pin]);
  }
  const found = new Map<string, InSequence>();
  for (const recipient of recipients) {
    const [enrollment, ofContact] = [newest.get(recipient.id), pins.get(recipient.id)];
    if (enrollment === undefined && ofContact === undefined) continue;
    const copyHash = hashCopy(recipient, steps);
    const valid = (ofContact ?? []).filter((pin) => pin.copyHash === copyHash);
    const state = stateOf(recipient, enrollment, valid, ofContact ?? []);
    if (state !== undefined) found.set(recipient.id, state);
  }
  return found;
}

function stateOf(
  recipient: RecipientRow,
  enrollment: ContactEnrollment | undefined,
  valid: readonly Pin[],
  pins: readonly Pin[],
): InSequence | undefined {
  const applied = valid.find(({ status }) => status === "applied");
  if (enrollment !== undefined && OPEN_ENROLLMENT.some((open) => open === enrollment.status)) {
    const state = enrollment.heldReason === null ? "enrolled" : "on_hold";
    return { state, covered: applied !== undefined, at: enrollment.enrolledAt };
  }
  if (applied !== undefined) {
    // A company that an agent has changed since keeps the contact from being enrolled, until a person approves it.
    const covered = valid.some((pin) => pin.status === "applied" && vouchesForCompany(pin, recipient));
    return { state: "activated", covered, at: applied.appliedAt ?? applied.approvedAt };
  }
  const [approved] = valid;
  if (approved !== undefined) {
    return { state: "approved", covered: vouchesForCompany(approved, recipient), at: approved.approvedAt };
  }
  if (enrollment !== undefined) {
    return { state: "ended", covered: false, at: enrollment.endedAt ?? enrollment.enrolledAt };
  }
  const [outdated] = pins;
  if (outdated === undefined) return undefined;
  const state = outdated.status === "applied" ? "activated" : "approved";
  return { state, covered: false, at: outdated.appliedAt ?? outdated.approvedAt };
}

const vouchesForCompany = (pin: Pin, { company, companySource }: RecipientRow) =>
  (company || null) === pin.company || ON_RECORD.some((source) => source === companySource);
