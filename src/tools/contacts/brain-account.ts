import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { LIFECYCLE, type Lifecycle } from "../../domain/contacts/lifecycle.ts";
import { BOUNDS, LOOKED_AT } from "../../store/contacts.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { Account, accountName, soughtDomain, toAccount } from "./account-schema.ts";
import { BrainActions, BrainActivities, BrainDeals, BrainEnrollments, bounded } from "./brain-schema.ts";
import { showAction, showActivity, showDeal, showEnrollments } from "./brain-view.ts";
import { Contact } from "./contact-schema.ts";

const MANY = LOOKED_AT.toLocaleString("en");

const counts = Object.fromEntries(LIFECYCLE.map((stage) => [stage, z.int().min(0)])) as Record<Lifecycle, z.ZodInt>;

const contacts = z.object({
  total: z.int().min(0).describe("Exact count of live contacts."),
  by_stage: z.object(counts).describe("How many of them are at each stage."),
  recent: z.array(Contact).max(BOUNDS.contacts).describe("Most recently updated first."),
});

export const brainAccount = agentOperation({
  name: "brain_account",
  area: "brain",
  title: "Know an account",
  description:
    "What is known of one company, in one answer; read it before you act on an account. The record, its contacts with " +
    "their number at each stage, and over these contacts: deals, enrollments in sequences, actions on the social network, how many addresses are " +
    "on the do-not-contact list, and the latest activities. Find the account by exactly one of id, domain and name; " +
    "domain and name are compared without letter case, and where several accounts match, the newest is meant. Of more " +
    `than ${MANY} contacts all are counted, and the other parts look at the ${MANY} updated last. ${bounded("contacts", "deals", "enrollments", "actions", "activities")}`,
  access: { scope: "contacts.read" },
  tool: { annotations: READ_ONLY },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["account_not_found"],
  input: z
    .strictObject({
      id: recordId("account").optional(),
      domain: soughtDomain.optional(),
      name: accountName.optional(),
    })
    .refine(...exactlyOne("id", "domain", "name")),
  output: z.object({
    account: Account,
    contacts,
    deals: BrainDeals,
    enrollments: BrainEnrollments,
    actions: BrainActions,
    suppressed: z.int().min(0).describe("How many of the contacts have an address on the do-not-contact list."),
    activities: BrainActivities,
  }),
  async handler(ctx, { id, domain, name = "" }) {
    const { accounts, brain } = ctx.store;
    const account = await (id !== undefined
      ? accounts.find(id)
      : domain !== undefined
        ? accounts.findByDomain(domain)
        : accounts.findByName(name));
    if (account === undefined) throw problem("account_not_found");
    const { byStage, ids, emailKeys, recent } = await brain.accountContacts(account.id);
    const [deals, enrollments, actions, suppressed, activities] = await Promise.all([
      brain.deals(ids),
      brain.enrollments(ids),
      brain.actions(ids),
      brain.countSuppressed(emailKeys),
      brain.activities(ids),
    ]);
    return {
      data: {
        account: toAccount(account),
        contacts: { total: Object.values(byStage).reduce((sum, count) => sum + count), by_stage: byStage, recent },
        deals: deals.map(showDeal),
        enrollments: await showEnrollments(ctx, enrollments),
        actions: actions.map(showAction),
        suppressed,
        activities: activities.map(showActivity),
      },
    };
  },
});
