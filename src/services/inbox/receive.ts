import type { Context } from "../../core/context.ts";
import type { SendStatus } from "../../domain/outreach/sending.ts";
import { HOUR_MS } from "../../lib/time.ts";
import type { SendRow } from "../../store/outreach.ts";
import { recordActivity } from "../contacts/record-activity.ts";
import { hold } from "../outreach/engine.ts";
import { stopContact } from "../outreach/enrollment.ts";
import { about, bounced, sent } from "../outreach/finish-send.ts";
import { suppress } from "../outreach/suppression.ts";
import { stopActions } from "../socialnet/actions.ts";

/** What came into the mailbox about a message of ours. */
export type Received = { subject: string; from: string | undefined } & (
  | { kind: "reply"; excerpt: string }
  | { kind: "automatic"; reason: string; excerpt: string }
  | { kind: "bounce"; recipient: string | undefined; hard: boolean; ours: boolean; detail: string }
  | { kind: "complaint" }
);

/** Clocks of mail servers may differ from ours. */
const SLACK_MS = HOUR_MS;

/**
 * An answer stops everything that its contact was on the way through when it came, a bounce this way through the sequence,
 * a complaint the address for good.
 *
 * @param at when it came into the mailbox: one that is read late says nothing of what was begun since
 */
export async function receiveMail(ctx: Context, send: SendRow, received: Received, at: number): Promise<void> {
  const { contactId } = send;
  const { subject } = received;
  const metadata = {
    ...about(send),
    ...(received.from === undefined ? {} : { from: received.from }),
  };
  switch (received.kind) {
    case "reply":
      await arrived(ctx, send);
      await recordActivity(ctx, { contactId, type: "email_reply", subject, body: received.excerpt, metadata });
      return answered(ctx, send, at);
    case "automatic": {
      await arrived(ctx, send);
      const told = { ...metadata, reason: received.reason };
      await recordActivity(ctx, {
        contactId,
        type: "email_auto_reply",
        subject,
        body: received.excerpt,
        metadata: told,
      });
      return;
    }
    case "bounce":
      return returned(ctx, send, received);
    case "complaint":
      await suppress(ctx, { email: send.address, reason: "complaint", stated: true, source: "engine" });
      // They may have another address by now, and complained about us.
      await stopContact(ctx, contactId, "suppressed");
  }
}

/** The way that it was written on ends, whenever the answer is read; of all else what was begun by the time it came. */
async function answered(ctx: Context, { enrollmentId, contactId }: SendRow, at: number): Promise<void> {
  const own = await ctx.store.enrollments.stop(enrollmentId, "stopped_replied", ctx.now);
  if (own !== undefined) await stopActions(ctx, { enrollmentId }, "replied");
  await stopContact(ctx, contactId, "replied", at + SLACK_MS);
}

/** What comes back may be here before its sender has written down that it went. */
const UNSURE: readonly SendStatus[] = ["sending", "unknown"];

/** Whoever answers has it: what nobody knew is known. */
async function arrived(ctx: Context, send: SendRow): Promise<void> {
  const known = await ctx.store.sends.move(send.id, UNSURE, "sent", ctx.now, { detail: "It was answered." });
  if (known !== undefined) await sent(ctx, known, null);
}

/**
 * It did not arrive, so its way is over. Anybody who got a message can send a report that names it: one about another
 * address ends no more than that, and puts nobody on the list.
 */
async function returned(ctx: Context, send: SendRow, bounce: Received & { kind: "bounce" }): Promise<void> {
  const { recipient, hard, detail } = bounce;
  if (bounce.ours) return cameBack(ctx, send, detail);
  const same = recipient === undefined || recipient.toLowerCase() === send.address.toLowerCase();
  const failed = await ctx.store.sends.move(send.id, ["sent", ...UNSURE], "failed", ctx.now, { detail });
  if (failed !== undefined) await bounced(ctx, send, { hard: hard && same && recipient !== undefined, detail });
}

/** It came back for a reason of ours: that says nothing of its recipient, whose way goes on once somebody has mended it. */
async function cameBack(ctx: Context, send: SendRow, detail: string): Promise<void> {
  const { contactId, subject, address, enrollmentId } = send;
  if ((await ctx.store.sends.move(send.id, ["sent", ...UNSURE], "failed", ctx.now, { detail })) === undefined) return;
  const metadata = { ...about(send), address, hard: false, ours: true };
  await recordActivity(ctx, { contactId, type: "email_bounced", subject, body: detail, metadata });
  const enrollment = await ctx.store.enrollments.find(enrollmentId);
  if (enrollment?.status === "active") await hold(ctx, enrollment, "came_back", detail);
}

/** A contact answered on the social network: it is logged, everything open for them stops, and their status says so. */
export async function recordReply(
  ctx: Context,
  reply: { contactId: string; excerpt: string | null; metadata: Record<string, unknown> },
): Promise<void> {
  const { contactId, excerpt, metadata } = reply;
  const subject = "Replied on the social network";
  await recordActivity(ctx, { contactId, type: "socialnet_reply", subject, body: excerpt, metadata });
  await ctx.store.contacts.advanceSocialStatus(contactId, "replied");
  await stopContact(ctx, contactId, "replied");
}
