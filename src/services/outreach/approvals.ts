import { hash } from "node:crypto";
import type { AsSystem, Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { ON_RECORD } from "../../domain/contacts/contact.ts";
import {
  copyText,
  isNetworkStep,
  networkTextOf,
  OPEN_ENROLLMENT,
  type SequenceSender,
  type Step,
  sequenceText,
  usesAccount,
} from "../../domain/outreach/sequence.ts";
import { fillingsOf, fillTemplate, type Recipient, renderedValue } from "../../domain/outreach/template.ts";
import type { LastReply } from "../../store/contacts.ts";
import type { ApprovalRow, EnrollmentRow, PinnedSequence, RecipientRow, SequenceRow } from "../../store/outreach.ts";
import type { SocialnetAccountRow } from "../../store/socialnet.ts";
import type { Store, WorkspaceStore } from "../../store/store.ts";
import { forgetEnrollment, forgetSequence } from "../socialnet/changed-actions.ts";
import { holdEnrollment } from "./enrollment.ts";

type Sent = Pick<SequenceRow, "steps" | "socialnetAccountId">;
type Reading = Pick<WorkspaceStore, "socialnetAccounts" | "workspace">;

/**
 * Who a sequence is sent as now.
 *
 * @param mailFrom who the mail of this process is from; without one, what the sending server has recorded
 */
export async function senderOf(store: Reading, sequence: Sent, mailFrom?: string): Promise<SequenceSender> {
  const account = usesAccount(sequence.steps) ? await accountFor(store, sequence) : undefined;
  const { senderName } = await store.workspace.sendingPolicy();
  return {
    account: account === undefined ? null : { id: account.id, profileUrl: account.profileUrl },
    senderName,
    mailFrom: mailFrom ?? (await store.workspace.mailFrom()),
  };
}

/** The account that the sequence names, or the only one there is. */
export async function accountFor(
  { socialnetAccounts }: Reading,
  { socialnetAccountId }: Pick<SequenceRow, "socialnetAccountId">,
): Promise<SocialnetAccountRow | undefined> {
  if (socialnetAccountId !== null) return socialnetAccounts.find(socialnetAccountId);
  const { rows, total } = await socialnetAccounts.list({ limit: 1, offset: 0 });
  return total === 1 ? rows[0] : undefined;
}

/** What an approval pins of a sequence: the steps, and who they are sent as. */
export async function hashSequence(store: Reading, sequence: Sent, mailFrom?: string): Promise<string> {
  return hashSteps(sequence.steps, await senderOf(store, sequence, mailFrom));
}

/** The same where the sender is known. */
export function hashSteps(steps: readonly Step[], sender: SequenceSender): string {
  return sha256(sequenceText(steps, sender));
}

/**
 * A sequence is pinned to the sender that people are shown now. While a server starts with another sender, it is not.
 *
 * @throws Problem version_conflict
 */
export async function requireShownSender(store: Reading, sequence: SequenceRow): Promise<void> {
  if ((await hashSequence(store, sequence)) === sequence.stepsHash) return;
  throw problem(
    "version_conflict",
    "steps_hash: does not match because the sender of this server's email is changing. Review the audience again in a minute.",
  );
}

/** What an approval pins of a contact. */
export function hashCopy(recipient: Recipient, steps: readonly Step[]): string {
  return sha256(copyText(recipient, steps));
}

/**
 * What a person sees of a contact before they approve it: what the approval pins, the company that it puts on record,
 * which no step may render, and the contact's last reply.
 *
 * @param lastReply as `lastReplies` finds it
 */
export function hashShown(
  recipient: Recipient,
  steps: readonly Step[],
  lastReply: Pick<LastReply, "id"> | undefined,
): string {
  const replied = lastReply === undefined ? [] : [lastReply.id];
  return sha256(JSON.stringify([copyText(recipient, steps), recipient.company, ...replied]));
}

/** The hashes of contacts as a person sees them now, by contact id. */
export async function hashAllShown(
  { activities }: Pick<WorkspaceStore, "activities">,
  recipients: readonly RecipientRow[],
  steps: readonly Step[],
): Promise<Map<string, string>> {
  const replies = await activities.lastReplies(recipients.map(({ id }) => id));
  return new Map(recipients.map((one) => [one.id, hashShown(one, steps, replies.get(one.id))]));
}

const sha256 = (text: string) => hash("sha256", text, "hex");

/**
 * Pins every sequence to who it is sent as by now. Code that changes a sender calls this in the same transaction: people
 * approved what it was before, so the approvals of the sequences that change are void.
 *
 * @returns the ids of the approvals
 */
export async function pinSenders(ctx: Context, mailFrom?: string): Promise<string[]> {
  const voided: string[] = [];
  for (const sequence of await ctx.store.sequences.pinned()) {
    voided.push(...(await pinSender(ctx, sequence, mailFrom)));
  }
  return voided;
}

/**
 * Records the sender of this server's mail. Sequences that are pinned to another sender lose their approvals. The sender
 * is recorded first, because pages show what is recorded: until a sequence is pinned to it, nothing of it can be
 * approved. Each sequence is compared with the sender, so the next start completes one that breaks off.
 */
export async function recordMailFrom(
  store: Pick<Store, "read" | "recordMailFrom" | "workspaces">,
  asSystem: AsSystem,
  from: string,
  now: number,
): Promise<void> {
  const workspaces = await store.workspaces();
  const [first] = workspaces;
  const before = first && (await store.read(first.id).workspace.mailFrom());
  if (before !== from) await store.recordMailFrom(from, now);
  for (const { id } of workspaces) {
    if (!(await hasOtherSender(store.read(id), from))) continue;
    await asSystem(id, "set_mail_from", async (ctx) => {
      const voided = await pinSenders(ctx, from);
      if (voided.length > 0) {
        const after = { mail_from: from, voided_approvals: voided };
        await ctx.audit({ recordId: id, before: { mail_from: before ?? null }, after });
      }
    });
  }
}

async function hasOtherSender(store: WorkspaceStore, from: string): Promise<boolean> {
  for (const sequence of await store.sequences.pinned()) {
    if ((await hashSequence(store, sequence, from)) !== sequence.stepsHash) return true;
  }
  return false;
}

async function pinSender(ctx: Context, sequence: PinnedSequence, mailFrom?: string): Promise<string[]> {
  const { id, stepsHash: before } = sequence;
  const stepsHash = await hashSequence(ctx.store, sequence, mailFrom);
  if (stepsHash === before) return [];
  await ctx.store.sequences.update(id, { stepsHash, now: ctx.now });
  return voidApprovals(ctx, id);
}

/**
 * Voids every approval of a sequence, and what automatic accounts approved by them.
 *
 * @returns the ids of the approvals
 */
export async function voidApprovals(ctx: Context, sequenceId: string): Promise<string[]> {
  const voided = await ctx.store.approvals.voidAll(sequenceId, ctx.now);
  await forgetSequence(ctx, sequenceId);
  return voided;
}

/**
 * Spends every approval of a contact that was given by a time, of all sequences. Open enrollments that no other approval
 * covers are put on hold, and what automatic accounts approved of them goes to a person.
 */
export async function spendApprovals(ctx: Context, contactId: string, givenBy: number): Promise<void> {
  if ((await ctx.store.approvals.spendGivenBy(contactId, givenBy, ctx.now)) === 0) return;
  const recipient = await findRecipient(ctx.store, contactId);
  if (recipient === undefined) return;
  for (const status of OPEN_ENROLLMENT) {
    const { rows } = await ctx.store.enrollments.list({ contactId, status }, { limit: MAX_OPEN, offset: 0 });
    for (const enrollment of rows) await holdUncovered(ctx, enrollment, recipient);
  }
}

/**
 * A newer approval replaces what the ones before it pinned. What automatic accounts approved by these, and the newer one
 * pins otherwise, goes to a person. A text that a person wrote stays as it is.
 *
 * @param contactIds which contacts of the newer approval; undefined: all
 */
export async function forgetReplaced(
  ctx: Context,
  { id: approvalId, sequenceId }: Pick<ApprovalRow, "id" | "sequenceId">,
  contactIds?: readonly string[],
): Promise<void> {
  const sequence = (await ctx.store.sequences.find(sequenceId)) as SequenceRow;
  const { senderName } = await ctx.store.workspace.sendingPolicy();
  const activated = contactIds && new Set(contactIds);
  for (const contactId of await ctx.store.approvals.replacing(approvalId)) {
    if (activated?.has(contactId) === false) continue;
    const open = await ctx.store.socialnetActions.open({ contactId });
    const filled = open.filter((action) => action.sequenceId === sequenceId && action.editedById === null);
    if (filled.length === 0) continue;
    const recipient = await findRecipient(ctx.store, contactId);
    const authorization = recipient && (await findAuthorization(ctx, sequence, recipient));
    if (recipient === undefined || authorization?.approvalId !== approvalId) continue;
    for (const { enrollmentId, step, copy } of filled) {
      // An edit may have removed the step of an enrollment that is over, whose action is still in progress.
      const at = step === null ? undefined : sequence.steps[step];
      const now = isNetworkStep(at) ? fillTemplate(networkTextOf(at), fillingsOf(recipient, senderName)) : {};
      const isPinned = !authorization.changed && "text" in now && now.text === copy;
      if (!isPinned && enrollmentId !== null) await forgetEnrollment(ctx, enrollmentId);
    }
  }
}

/** More open enrollments of one contact than this are held when their next step is due. */
const MAX_OPEN = 100;

async function holdUncovered(ctx: Context, enrollment: EnrollmentRow, recipient: RecipientRow): Promise<void> {
  const { id, sequenceId, status, heldReason, dueAt } = enrollment;
  const sequence = (await ctx.store.sequences.find(sequenceId)) as SequenceRow;
  const authorization = await findAuthorization(ctx, sequence, recipient);
  if (authorization !== undefined && !authorization.changed) return;
  if (status === "waiting_on_action") return forgetEnrollment(ctx, id);
  // A message that is on its way has no due time. The last check before it is sent stops it.
  if (heldReason === null && dueAt !== null) await holdEnrollment(ctx, enrollment, "contact_changed");
}

/** A live contact as approvals see it. Undefined where there is none. */
export async function findRecipient(
  { approvals }: Pick<WorkspaceStore, "approvals">,
  contactId: string,
): Promise<RecipientRow | undefined> {
  const [recipient] = await approvals.recipients([contactId]);
  return recipient;
}

export interface Authorization {
  approvalId: string;
  /** What an approval of the contact as they are now would pin. */
  copyHash: string;
  /** The contact reads differently than it did when it was approved. */
  changed: boolean;
  /** Whether the approval pins the company that the contact has now. */
  pinsCompany: boolean;
}

/** The applied approval of a sequence, as it reads now, that covers a contact. Undefined where there is none. */
export async function findAuthorization(
  { store }: { store: Pick<WorkspaceStore, "approvals"> },
  { id: sequenceId, steps, stepsHash }: SequenceRow,
  recipient: Recipient,
): Promise<Authorization | undefined> {
  const copyHash = hashCopy(recipient, steps);
  const { id: contactId, company } = recipient;
  const approval = await store.approvals.covering({ sequenceId, stepsHash, contactId, copyHash, company });
  return (
    approval && {
      approvalId: approval.id,
      copyHash,
      changed: approval.copyHash !== copyHash,
      pinsCompany: showsCompany(recipient) && approval.company === company,
    }
  );
}

/** Whether a contact has a company that a person can see. */
export function showsCompany(recipient: Recipient): boolean {
  return renderedValue(recipient, "company") !== "";
}

/**
 * A company that an agent wrote counts once a person has confirmed it, or has approved the contact with it.
 *
 * @throws Problem company_confirmation_required
 */
export function requireCompany({ company, companySource }: RecipientRow, { pinsCompany }: Authorization): void {
  const onRecord = ON_RECORD.some((source) => source === companySource);
  if (company && (onRecord || pinsCompany)) return;
  throw problem(
    "company_confirmation_required",
    company
      ? "An agent added this contact's company. Ask a teammate to confirm the company, or to approve an audience that shows it."
      : "This contact has no company. Add one, then ask a teammate to confirm the company.",
  );
}

/** The refusal where contacts are no longer as they were read: who they are is in the answer. */
export function recipientsChanged(contactIds: readonly string[]) {
  const which = contactIds.length === 1 ? `contact ${contactIds[0]}` : `${contactIds.length} contacts`;
  return problem("version_conflict", `copy_hashes: ${which} changed after you read the audience. Review it again.`, {
    extra: { changed_contact_ids: [...contactIds] },
  });
}

/**
 * Whether a member withdrew a voided approval. An edit of the steps voids one too. Nothing is done with an approval after
 * its withdrawal, so that is the newest entry of its audit.
 */
export async function wasWithdrawn({ store }: Context, approvalId: string): Promise<boolean> {
  const [last] = await store.logs.auditOf(approvalId, 1);
  return last?.action === "withdraw_sequence_approval";
}
