import type { z } from "zod";
import type { Context } from "../../context.ts";
import { nextStage } from "../../domain/lifecycle.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import { Account, toAccount } from "../accounts/schema.ts";
import { Contact } from "../contacts/schema.ts";
import { isoOrNull } from "../time.ts";
import {
  Bant,
  BrainActions,
  BrainActivities,
  type BrainDeals,
  BrainEnrollments,
  BrainMeetings,
  BrainSuppression,
  LastContacted,
  Provenance,
  SocialStatus,
  Stage,
} from "./schema.ts";
import {
  showAction,
  showActivity,
  showBant,
  showDeal,
  showEnrollments,
  showMeeting,
  showProvenance,
  showSuppression,
} from "./show.ts";

/** What both a contact and a deal stand in. */
export const surroundings = {
  contact: Contact,
  last_contacted_at: LastContacted,
  account: Account.nullable().describe("The company record that the contact is linked to."),
  lifecycle: Stage,
  meetings: BrainMeetings,
  bant: Bant,
  enrollments: BrainEnrollments,
  social_status: SocialStatus,
  actions: BrainActions,
  suppression: BrainSuppression,
  activities: BrainActivities,
  provenance: Provenance,
};

type Surroundings = { [Part in keyof typeof surroundings]: z.infer<(typeof surroundings)[Part]> };

/** Every part is asked for in one go, so that nothing of this process is written between two of them. */
export async function gatherSurroundings(
  ctx: Context,
  record: ContactRecord,
  exceptDeal?: string,
): Promise<Surroundings & { deals: z.infer<typeof BrainDeals> }> {
  const { accounts, brain, contacts } = ctx.store;
  const { contact, lifecycle: stage, accountId } = record;
  const [account, confirmed, deals, meetings, bant, enrollments, actions, suppression, activities, origins] =
    await Promise.all([
      accountId === null ? undefined : accounts.find(accountId),
      contacts.confirmations(contact.id),
      brain.deals([contact.id], exceptDeal),
      brain.meetings(contact.id),
      brain.bant(contact.id),
      brain.enrollments([contact.id]),
      brain.actions([contact.id]),
      contact.email === null ? undefined : brain.suppression(contact.email),
      brain.activities([contact.id]),
      brain.origins(record.seq),
    ]);
  return {
    contact,
    last_contacted_at: isoOrNull(record.lastContactedAt),
    account: account === undefined ? null : toAccount(account),
    lifecycle: { stage, next: nextStage(stage, confirmed) },
    deals: deals.map(showDeal),
    meetings: meetings.map(showMeeting),
    bant: { confirmed: showBant(bant.confirmed), unconfirmed: showBant(bant.unconfirmed) },
    enrollments: await showEnrollments(ctx, enrollments),
    social_status: record.socialStatus,
    actions: actions.map(showAction),
    suppression: suppression === undefined ? null : showSuppression(suppression),
    activities: activities.map(showActivity),
    provenance: showProvenance(origins),
  };
}
