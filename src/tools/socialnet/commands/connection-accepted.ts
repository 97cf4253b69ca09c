import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import type { ActionStatus } from "../../../domain/socialnet/action.ts";
import { recordConnection } from "../../../services/contacts/record-activity.ts";
import { refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import { always } from "../../fields.ts";
import { defineCommand, fields } from "./shared.ts";

/** Statuses of a request that may have reached its recipient. */
const ASKED: readonly ActionStatus[] = ["started", "needs_review", "completed"];

export const connectionAccepted = defineCommand({
  name: "connection_accepted",
  does:
    "Reports that a person accepted a connection request. Send exactly one of profileUrl (theirs) and actionId (of the " +
    "request). The server logs it and marks the contact as connected.",
  next: "Nothing more. unmatched means that no contact has this profile.",
  takes: {
    profileUrl: fields.profileUrl.describe("The profile of the person who accepted.").optional(),
    actionId: fields.actionId.optional(),
    evidence: fields.evidence.optional(),
  },
  check: [
    ({ profileUrl, actionId }) => (profileUrl === undefined) !== (actionId === undefined),
    { path: [], error: "send exactly one of profileUrl and actionId", when: always },
  ],
  answers: z.object({
    contactId: z.uuid().nullable().describe("Null if no contact has this profile."),
    status: z.enum(["recorded", "already_recorded", "unmatched"]),
  }),
  example: { profileUrl: "https://socialnet.example/in/grace" },
  async handler(ctx, account, { profileUrl, actionId, evidence }) {
    const contactId =
      actionId === undefined
        ? ((await ctx.store.contacts.findByProfile(profileUrl as string))?.contact.id ?? null)
        : await contactOf(ctx, account, actionId);
    if (contactId === null) return { contactId, status: "unmatched" as const };
    const metadata = { account_id: account.id, ...(evidence === undefined ? {} : { evidence }) };
    const recorded = await recordConnection(ctx, contactId, metadata);
    return { contactId, status: recorded ? ("recorded" as const) : ("already_recorded" as const) };
  },
});

async function contactOf(ctx: Context, account: SocialnetAccountRow, actionId: string): Promise<string | null> {
  const { contactId, kind, status } = await requireOwnAction(ctx, account, actionId);
  if (kind !== "connection_request" || !ASKED.includes(status)) {
    throw refused(
      "not_started",
      "This action is not a connection request that was sent. Send the profileUrl of the person instead.",
    );
  }
  return (await ctx.store.contacts.find(contactId))?.contact.id ?? null;
}
