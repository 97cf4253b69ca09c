import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { invalid } from "../../../core/problem.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";
import { recordActivity, recordConnection } from "../../../services/contacts/record-activity.ts";
import { openConversation } from "../../../services/inbox/conversations.ts";
import { recordReply } from "../../../services/inbox/receive.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import { AHEAD_MS, defineCommand, fields } from "./shared.ts";

const observation = z.strictObject({
  kind: z
    .enum(["reply", "connection_accepted", "message_received"])
    .describe("reply: answers something we sent. message_received: any other message."),
  profileUrl: fields.profileUrl.describe("Who it came from."),
  observedAt: fields.time,
  externalKey: z
    .string()
    .min(1)
    .max(200)
    .describe(
      "Your ID, the same in a repeat. A repeat is recorded only if it has become a reply or now matches a contact.",
    ),
  excerpt: z.string().max(500).optional().describe("Part of the text."),
});
type Observation = z.output<typeof observation>;

const Synced = z.object({
  externalKey: z.string(),
  status: z.enum(["recorded", "already_recorded", "unmatched"]),
});

export const sync = defineCommand({
  name: "sync",
  does:
    "Reports replies, messages and accepted connections, 1 to 50 per call. The server logs them on the contact's " +
    "timeline. A reply stops what is planned for that contact, so report replies before you send anything.",
  next: "Nothing more. unmatched means that no contact has this profile.",
  takes: { observations: z.array(observation).min(1).max(50) },
  answers: z.object({ results: z.array(Synced) }),
  example: {
    observations: [
      {
        kind: "reply",
        profileUrl: "https://socialnet.example/in/grace",
        observedAt: "2026-11-20T09:00:00.000Z",
        externalKey: "conversation-81/message-4",
        excerpt: "Thank you, let us talk on Tuesday.",
      },
    ],
  },
  async handler(ctx, account, { observations }) {
    const early = observations.flatMap(({ observedAt }, i) =>
      Date.parse(observedAt) > ctx.now + AHEAD_MS
        ? [`observations.${i}.observedAt: is in the future. Send the time at which you saw it.`]
        : [],
    );
    if (early.length > 0) throw invalid(early);
    const results: z.infer<typeof Synced>[] = [];
    for (const seen of observations) results.push(await record(ctx, account, seen));
    return { results };
  },
});

async function record(ctx: Context, account: SocialnetAccountRow, seen: Observation): Promise<z.infer<typeof Synced>> {
  const { kind, profileUrl, externalKey } = seen;
  const observedAt = Date.parse(seen.observedAt);
  const contactIds = await contactsAt(ctx, account, profileUrl, observedAt);
  const [contactId = null] = contactIds;
  const sighting = { accountId: account.id, externalKey, kind, contactId, observedAt, now: ctx.now };
  if (!(await ctx.store.socialnetReports.insertSighting(sighting))) return { externalKey, status: "already_recorded" };
  // Nothing of a stranger is kept but that something was seen.
  if (contactId === null) return { externalKey, status: "unmatched" };
  for (const id of contactIds) await logSighting(ctx, account, id, seen);
  return { externalKey, status: "recorded" };
}

/** The profile of a contact may be changed between what the agent saw and its report. */
const RECENT_MS = DAY_MS;

/**
 * The contacts who have this profile, had it when this account wrote to them, or had it shortly before it was seen. Each
 * of them has replied.
 */
async function contactsAt(
  ctx: Context,
  account: SocialnetAccountRow,
  profileUrl: string,
  seenAt: number,
): Promise<string[]> {
  const { contacts, socialnetActions } = ctx.store;
  const now = await contacts.allByProfile(profileUrl);
  const then = await socialnetActions.recipients(account.id, profileUrl);
  const recently = await contacts.hadProfile(profileUrl, Math.min(seenAt, ctx.now) - RECENT_MS);
  const ids = [...new Set([...now, ...then, ...recently])];
  const live = await Promise.all(ids.map((id) => contacts.find(id)));
  return ids.filter((_, i) => live[i] !== undefined);
}

async function logSighting(
  ctx: Context,
  account: SocialnetAccountRow,
  contactId: string,
  { kind, profileUrl, observedAt, externalKey, excerpt }: Observation,
): Promise<void> {
  const seenAt = Date.parse(observedAt);
  const metadata = { account_id: account.id, external_key: externalKey, observed_at: iso(seenAt) };
  if (kind === "reply") {
    return recordReply(ctx, { contactId, profileUrl, observedAt: seenAt, excerpt: excerpt ?? null, metadata });
  }
  if (kind === "connection_accepted") {
    await recordConnection(ctx, contactId, metadata);
    return;
  }
  const subject = "Professional network message received";
  const received = { contactId, type: "socialnet_message_received", subject, body: excerpt ?? null, metadata } as const;
  await openConversation(ctx, await recordActivity(ctx, received));
}
