import type { Deployment } from "../core/context.ts";
import { POSTPONEMENTS, type SendStatus } from "../domain/outreach/sending.ts";
import { OPEN_ENROLLMENT } from "../domain/outreach/sequence.ts";
import { unsubscribeSubject, unsubscribeToken, unsubscribeUrl } from "../domain/outreach/unsubscribe-link.ts";
import type { Log } from "../lib/log.ts";
import { senderText } from "../lib/mail-server.ts";
import type { Clock } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import { composeMessage, type Message, type SequenceEmail, UnsendableEmail } from "../mail/message.ts";
import { whyAnswerDropped } from "../services/outreach/answers.ts";
import { findAuthorization, findRecipient } from "../services/outreach/approvals.ts";
import { type Outgoing, SEND_LEASE_MS } from "../services/outreach/engine.ts";
import type { SendEnding } from "../services/outreach/finish-send.ts";
import { lastBlock } from "../services/outreach/sending-conditions.ts";
import { isSuppressed } from "../services/outreach/suppression.ts";
import type { Store, WorkspaceStore } from "../store/store.ts";
import { type MailTransport, routeOf } from "./mail-transport.ts";
import type { SharedCommit } from "./shared-commit.ts";

export interface SendMessageParts {
  store: Store;
  deployment: Deployment;
  clock: Clock;
  log: Log;
  vault: Vault;
  /** How mail is sent now. */
  transport: () => MailTransport;
  /** The id of this process, which its leases carry. */
  instance: string;
  /** Where the links of messages lead. */
  url: () => string;
}

const STOPPED = "The server was stopped.";
const RECONFIGURED = "The mail settings changed.";

const NOT_COMPOSED = "Rostrum can't compose an email from this subject and text.";

/**
 * Composes the message and hands it to the mailer. A message for a mail server is checked again right before it leaves.
 * It is also checked first if its step was taken a while ago, or if it is written to a file.
 *
 * @param by how mail was sent when its step was executed: it leaves from that sender, or not at all
 */
export async function sendMessage(
  parts: SendMessageParts,
  outgoing: Outgoing,
  by: MailTransport,
  commit: SharedCommit,
  isStopping: () => boolean,
): Promise<SendEnding> {
  let email: SequenceEmail;
  try {
    const stopped = isStopping() ? STOPPED : await whyNotTried(parts, outgoing, by);
    if (stopped !== undefined) return { status: "dropped", detail: stopped };
    email = emailOf(parts, outgoing, by);
  } catch (error) {
    parts.log.error({ err: error, sendId: outgoing.send.id }, "a message was not created; retrying");
    if (parts.store.isUnavailable(error)) return { status: "dropped", detail: AWAY };
    return { status: "not_begun", detail: "An error on this server prevented sending. Rostrum retries." };
  }
  let message: Message;
  try {
    message = composeMessage(email);
  } catch (error) {
    if (error instanceof UnsendableEmail) return { status: "unsendable", detail: error.message };
    // It depends only on the texts, so it would fail again at every retry.
    parts.log.error({ err: error, sendId: outgoing.send.id }, "a message cannot be composed; its step is on hold");
    return { status: "unsendable", detail: NOT_COMPOSED };
  }
  try {
    const route = routeOf(by, outgoing.delivery);
    if (route === undefined) return { status: "dropped", detail: RECONFIGURED };
    return await route.mailer.send(message, () => handOver(parts, outgoing, by, commit));
  } catch (error) {
    if (error instanceof Dropped) return { status: "dropped", detail: error.message };
    parts.log.error({ err: error, sendId: outgoing.send.id }, "a send attempt was not recorded; retrying");
    return { status: "not_begun", detail: "A database error prevented sending. Rostrum retries." };
  }
}

const AWAY = "The database was not available.";
const NOT_OURS = "The attempt timed out before the email was sent.";
class Dropped extends Error {}

/** Its statuses until the first byte leaves. A connection that breaks after its hand-over was recorded is replaced. */
const NOT_LEFT: readonly SendStatus[] = ["queued", "sending"];

/**
 * From here on a crash leaves it to a person whether the message arrived. A mail server may take minutes until it is
 * ready for a message, so what may stop it is asked in the same write.
 */
async function handOver(
  parts: SendMessageParts,
  outgoing: Outgoing,
  by: MailTransport,
  commit: SharedCommit,
): Promise<void> {
  const { clock, instance } = parts;
  const { workspaceId, send } = outgoing;
  await commit.handOver();
  const dropped = await parts.store
    .write(workspaceId, async (store) => {
      const now = clock.now();
      const why = await whyDropped(parts, store, outgoing, by);
      if (why !== undefined) return why;
      const lease = { leaseUntil: now + SEND_LEASE_MS, leasedBy: instance };
      const begun = await store.sends.move(send.id, NOT_LEFT, "sending", now, lease, send.lastAttemptAt);
      return begun === undefined ? NOT_OURS : undefined;
    })
    .catch((error: unknown) => {
      // Said here, because the mail library writes a code of its own into the error.
      if (parts.store.isUnavailable(error)) return AWAY;
      throw error;
    });
  if (dropped !== undefined) throw new Dropped(dropped);
}

/** A message that has waited longer since its step was taken is checked again before its mail server is asked. */
const RECHECK_AFTER_MS = 1_000;

/** Why the mail server is not asked at all. */
async function whyNotTried(
  parts: SendMessageParts,
  outgoing: Outgoing,
  by: MailTransport,
): Promise<string | undefined> {
  const { clock, store, transport } = parts;
  const { workspaceId, send, delivery } = outgoing;
  if (transport() !== by) return RECONFIGURED;
  const route = routeOf(by, delivery);
  const age = clock.now() - send.lastAttemptAt;
  // It was checked when its step was taken, and is checked again when the mail server is ready for it.
  const isRecent = age >= 0 && age <= RECHECK_AFTER_MS;
  if (route?.mailer.kind !== "smtp" || !isRecent) {
    const why = await whyDropped(parts, store.read(workspaceId), outgoing, by);
    if (why !== undefined) return why;
  }
  const backoff = await store.engineDue.backoff(route?.mailServer ?? "");
  return backoff !== undefined && backoff.until > clock.now()
    ? "The mail server rejects emails or can't be reached. Rostrum retries."
    : undefined;
}

/**
 * Since the step was executed, there may have been a pause, a hold, an opt-out or a reply, or the sending hours or the lease may
 * have ended.
 */
async function whyDropped(
  { clock, deployment }: SendMessageParts,
  store: WorkspaceStore,
  { send, approved, delivery }: Outgoing,
  { from }: MailTransport,
): Promise<string | undefined> {
  const row = await store.sends.find(send.id);
  const ours = row !== undefined && NOT_LEFT.includes(row.status) && row.lastAttemptAt === send.lastAttemptAt;
  if (!ours) return NOT_OURS;
  if (send.answerId !== null) {
    return whyAnswerDropped({ store, now: clock.now(), deployment }, send.answerId, senderText(from));
  }
  const sequence = await store.sequences.find(send.sequenceId);
  const block = await lastBlock({ store, now: clock.now(), deployment }, sequence?.status ?? "archived");
  if (block !== undefined) return `Stopped before sending. ${POSTPONEMENTS[block]}`;
  if (sequence?.delivery !== delivery) return "The sequence switched between sending emails and saving them to files.";
  if (await isSuppressed(store, send.address)) return "The address is on the do-not-contact list.";
  const recipient = await findRecipient(store, send.contactId);
  const same = sequence !== undefined && sequence.stepsHash === approved?.stepsHash;
  // An edit that was undone leaves everything as it was but the approval, which it voided.
  const authorization = same && recipient && (await findAuthorization({ store }, sequence, recipient));
  if (!authorization || authorization.changed || authorization.copyHash !== approved?.copyHash) {
    return "The sequence or the contact changed after the approval. Approve the contact again.";
  }
  const enrollment = await store.enrollments.find(send.enrollmentId);
  const open = OPEN_ENROLLMENT.some((status) => status === enrollment?.status);
  if (!open) return "The enrollment has ended.";
  return enrollment?.heldReason == null ? undefined : "The enrollment was put on hold.";
}

function emailOf(
  { vault, url, clock }: SendMessageParts,
  { workspaceId, send, subject, body, senderName, to, earlier }: Outgoing,
  { from, mailbox }: MailTransport,
): SequenceEmail {
  const { contactId } = send;
  const token = unsubscribeToken(vault, { workspaceId, contactId, sendId: send.id, address: send.address });
  return {
    sendId: send.id,
    from,
    senderName,
    to,
    subject,
    body,
    earlier,
    isAnswer: send.answerId !== null,
    at: clock.now(),
    unsubscribe: {
      url: unsubscribeUrl(url(), token),
      // Where the mailbox of the sender is read, one may unsubscribe by mail too.
      ...(mailbox !== undefined ? { subject: unsubscribeSubject(token) } : {}),
    },
  };
}
