import type { Context } from "../../core/context.ts";
import type { Activity } from "../../domain/contacts/activity.ts";
import { emailKey } from "../../domain/contacts/address.ts";
import { HOUR_MS } from "../../lib/time.ts";
import type { SendRow } from "../../store/outreach.ts";
import { recordActivity } from "../contacts/record-activity.ts";
import { spendApprovals } from "../outreach/approvals.ts";
import { holdEnrollment, stopContact } from "../outreach/enrollment.ts";
import { failSend, recordBounce, recordSent, sendMetadata, UNDECIDED } from "../outreach/finish-send.ts";
import { stopFormerOwner, suppress } from "../outreach/suppression.ts";
import { stopActions } from "../socialnet/stop-actions.ts";
import { openConversation } from "./conversations.ts";

/** A received message that is about a message of ours. */
export type Received = {
  subject: string;
  from: string | undefined;
  messageId?: string | undefined;
  /** The Message-IDs of its thread, the closest first. */
  refersTo?: readonly string[];
} & (
  | { kind: "reply"; excerpt: string }
  | { kind: "automatic"; reason: string; excerpt: string }
  | { kind: "bounce"; recipient: string | undefined; hard: boolean; ours: boolean; detail: string }
  | { kind: "complaint"; recipient: string | undefined }
);

/** Clocks of mail servers may differ from this server's. What began or was approved within this time counts as before a reply. */
const CLOCK_SKEW_MS = HOUR_MS;

/**
 * Records a received message. A reply stops everything that was open for who answered when it arrived, and spends what
 * was approved for them before. A bounce fails this enrollment, a complaint suppresses the address.
 *
 * @param at when it arrived in the mailbox: a message that is read late does not affect what began after it
 */
export async function receiveMail(ctx: Context, send: SendRow, received: Received, at: number): Promise<void> {
  const { contactId } = send;
  const { subject } = received;
  const metadata = {
    ...sendMetadata(send),
    ...(received.from === undefined ? {} : { from: received.from }),
  };
  switch (received.kind) {
    case "reply": {
      await confirmSent(ctx, send);
      const replied = await findReplied(ctx, send, received.from);
      const replies: Activity[] = [];
      for (const id of replied) {
        // Since then, a key may have given them another profile.
        const profileUrl = await ctx.store.contacts.profileAt(id, at);
        const reply = { contactId: id, type: "email_reply", subject, body: received.excerpt, metadata } as const;
        const activity = await recordActivity(ctx, { ...reply, profileUrl });
        await openConversation(ctx, activity, received);
        replies.push(activity);
      }
      return stopReplied(ctx, send, replies, at);
    }
    case "automatic": {
      await confirmSent(ctx, send);
      const reported = { ...metadata, reason: received.reason };
      await recordActivity(ctx, {
        contactId,
        type: "email_auto_reply",
        subject,
        body: received.excerpt,
        metadata: reported,
      });
      return;
    }
    case "bounce":
      return bounce(ctx, send, received);
    case "complaint":
      for (const email of await complainants(ctx, send, received.recipient)) {
        await suppress(ctx, { email, reason: "complaint", stated: true, source: "engine" });
        await stopFormerOwner(ctx, contactId, email);
      }
  }
}

/**
 * The address that the message went to last, and the one that the report names: an attempt before may have gone there.
 * Any recipient can write a report, so only an address at which this contact was reached counts.
 */
async function complainants({ store }: Context, { address, contactId }: SendRow, named = address): Promise<string[]> {
  if (emailKey(named) === emailKey(address)) return [address];
  return (await store.suppressions.reached(named)).includes(contactId) ? [address, named] : [address];
}

/**
 * The contact whose message was answered, and every live one who has or had the address that it was sent to, or the one
 * that answered. An address may have moved to another contact, and a colleague may answer a forwarded message.
 */
async function findReplied({ store }: Context, send: SendRow, from = send.address): Promise<Set<string>> {
  const found = new Set([send.contactId]);
  for (const address of new Set([send.address, from].map(emailKey))) {
    const owner = await store.contacts.findByEmail(address);
    if (owner !== undefined) found.add(owner.contact.id);
    for (const id of await store.suppressions.reached(address)) {
      if ((await store.contacts.find(id)) !== undefined) found.add(id);
    }
  }
  return found;
}

/**
 * Its own enrollment stops whenever the reply is read. Everything else stops if it began before the reply arrived, also
 * for other contacts who are the same person.
 */
async function stopReplied(ctx: Context, send: SendRow, replies: readonly Activity[], at: number): Promise<void> {
  const { enrollmentId } = send;
  const own = enrollmentId && (await ctx.store.enrollments.stop(enrollmentId, "stopped_replied", ctx.now));
  if (own) await stopActions(ctx, { enrollmentId }, "replied");
  await endReplied(ctx, replies, at - CLOCK_SKEW_MS, at + CLOCK_SKEW_MS);
}

/**
 * Stops what began by a time, and spends what was approved by it: only a person who knows of the reply starts more. It
 * does so for who replied, and for every contact who was the same person since the reply arrived. Pages show the reply
 * for all of them.
 */
async function endReplied(ctx: Context, replies: readonly Activity[], since: number, by: number): Promise<void> {
  const ended = new Set(replies.map(({ contact_id }) => contact_id));
  for (const { id, contact_id } of replies) {
    for (const twin of await ctx.store.contacts.samePerson(contact_id, since)) {
      await ctx.store.activities.countReply(id, twin);
      ended.add(twin);
    }
  }
  for (const id of ended) {
    await stopContact(ctx, id, "replied", by);
    await spendApprovals(ctx, id, by);
  }
}

/** An answer proves that the message was handed over, so it resolves an unknown outcome. */
async function confirmSent(ctx: Context, send: SendRow, detail = "The contact replied."): Promise<void> {
  const known = await ctx.store.sends.move(send.id, UNDECIDED, "sent", ctx.now, { detail });
  if (known !== undefined) await recordSent(ctx, known, null);
}

/**
 * It did not arrive, so its enrollment fails. Any recipient can send a report that names the message, so a report about
 * another address does no more than that and suppresses no address.
 */
async function bounce(ctx: Context, send: SendRow, report: Received & { kind: "bounce" }): Promise<void> {
  const { recipient, hard, detail } = report;
  if (report.ours) return holdReturned(ctx, send, detail);
  const same = recipient === undefined || emailKey(recipient) === emailKey(send.address);
  const failed = await ctx.store.sends.move(send.id, ["sent", ...UNDECIDED], "failed", ctx.now, { detail });
  if (failed !== undefined) await recordBounce(ctx, send, { hard: hard && same && recipient !== undefined, detail });
}

/**
 * It was refused because of our account or server, not because of its recipient: the enrollment is on hold until that
 * is fixed.
 */
async function holdReturned(ctx: Context, send: SendRow, detail: string): Promise<void> {
  const { contactId, subject, address, enrollmentId } = send;
  // The sequence goes on after this message, whether or not its outcome was known.
  await confirmSent(ctx, send, detail);
  if ((await ctx.store.sends.move(send.id, ["sent"], "failed", ctx.now, { detail })) === undefined) return;
  const metadata = { ...sendMetadata(send), address, hard: false, ours: true };
  await recordActivity(ctx, { contactId, type: "email_bounced", subject, body: detail, metadata });
  if (enrollmentId === null) return failSend(ctx, send, detail);
  const enrollment = await ctx.store.enrollments.find(enrollmentId);
  if (enrollment?.status === "active") await holdEnrollment(ctx, enrollment, "came_back", detail);
}

/**
 * A contact replied on the professional network: it is logged, everything open for them stops, and their status changes.
 * Approvals that were given before no longer apply.
 */
export async function recordReply(
  ctx: Context,
  reply: {
    contactId: string;
    profileUrl: string;
    /** When the agent saw it, in ms. */
    observedAt: number;
    excerpt: string | null;
    metadata: Record<string, unknown>;
  },
): Promise<void> {
  const { contactId, profileUrl, observedAt, excerpt, metadata } = reply;
  const subject = "Replied on the professional network";
  const activity = { contactId, type: "socialnet_reply", subject, body: excerpt, metadata, profileUrl } as const;
  const recorded = await recordActivity(ctx, activity);
  await openConversation(ctx, recorded);
  await ctx.store.contacts.advanceSocialStatus(contactId, "replied");
  await endReplied(ctx, [recorded], observedAt, Number.MAX_SAFE_INTEGER);
}
