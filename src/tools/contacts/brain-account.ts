import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { LIFECYCLE, type Lifecycle } from "../../domain/contacts/lifecycle.ts";
import { type AccountRow, BOUNDS, LOOKED_AT } from "../../store/contacts.ts";
import { exactlyOne, recordId } from "../fields.ts";
import { Account, accountName, soughtDomain, toAccount } from "./account-schema.ts";
import { CONTACTS_OF_COMPANY, candidates, MAX_CANDIDATES, notFound } from "./brain-find.ts";
import { BrainActions, BrainActivities, BrainDeals, BrainEnrollments, bounded, COMPACT_BRAIN } from "./brain-schema.ts";
import { showAction, showActivity, showDeal, showEnrollments } from "./brain-view.ts";
import { Contact } from "./contact-schema.ts";

const MANY = LOOKED_AT.toLocaleString("en");

const counts = Object.fromEntries(LIFECYCLE.map((stage) => [stage, z.int().min(0)])) as Record<Lifecycle, z.ZodInt>;

const contacts = z.object({
  total: z.int().min(0).describe("Exact number of contacts that aren't archived."),
  by_stage: z.object(counts).describe("Contacts per stage."),
  recent: z.array(Contact).max(BOUNDS.contacts).describe(`Last updated first. ${CONTACTS_OF_COMPANY}`),
});

export const AccountView = z.object({
  account: Account,
  contacts,
  deals: BrainDeals,
  enrollments: BrainEnrollments,
  actions: BrainActions,
  suppressed: z
    .int()
    .min(0)
    .describe("How many of the contacts that the lists cover have an email address on the do-not-contact list."),
  activities: BrainActivities,
});

const Candidate = z.object({ id: z.uuid(), name: z.string(), domain: z.string().nullable() });

export const brainAccount = agentOperation({
  name: "brain_account",
  area: "brain",
  title: "Get everything about an account",
  description:
    "Everything known about one company and its contacts. Read it before you act on an account. Find the account " +
    "by exactly one of id, domain and name. If several accounts match a name, you get candidates instead: call again " +
    "with the id of one. Returns the record, its contacts with a count per stage, and for these contacts: deals, " +
    "enrollments, social-network actions, how many are on the do-not-contact list, and the latest activities. With more " +
    `than ${MANY} contacts, only the counts per stage cover them all. The rest covers the ${MANY} updated last. ${bounded("contacts", "deals", "enrollments", "actions", "activities")}`,
  access: { scope: "contacts.read" },
  tool: {
    annotations: READ_ONLY,
    compact: [
      ...COMPACT_BRAIN,
      ...["phone", "website", "source", "created_at", "updated_at"].map((field) => `contacts.recent.${field}`),
      "activities.metadata",
    ],
  },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["account_not_found"],
  input: z
    .strictObject({
      id: recordId("account").optional(),
      domain: soughtDomain.optional(),
      name: accountName.describe("The company's name, or its beginning, ignoring case. A full match wins.").optional(),
    })
    .refine(...exactlyOne("id", "domain", "name")),
  output: z.union([AccountView, candidates(Candidate)]),
  async handler(ctx, selector) {
    const matches = await matchesOf(ctx, selector);
    const [account] = matches;
    if (account === undefined) throw notFound("account_not_found", "account", selector, CONTACTS_OF_COMPANY);
    if (matches.length > 1) {
      return { data: { candidates: matches.map(({ id, name, domain }) => ({ id, name, domain })) } };
    }
    const { view, ids } = await gatherAccount(ctx, account);
    return { data: { ...view, activities: (await ctx.store.brain.activities(ids)).map(showActivity) } };
  },
});

async function matchesOf(
  { store: { accounts } }: Context,
  { id, domain, name = "" }: { id?: string | undefined; domain?: string | undefined; name?: string | undefined },
): Promise<AccountRow[]> {
  if (id === undefined && domain === undefined) return accounts.byName(name, MAX_CANDIDATES);
  const account = id !== undefined ? await accounts.find(id) : await accounts.findByDomain(domain as string);
  return account === undefined ? [] : [account];
}

interface Gathered {
  view: Omit<z.infer<typeof AccountView>, "activities">;
  /** The contacts that the lists cover. */
  ids: readonly string[];
  /** The contact of each enrollment of the view. */
  enrolledIds: readonly string[];
}

/** What is known of an account without its activities. */
export async function gatherAccount(ctx: Context, account: AccountRow): Promise<Gathered> {
  const { brain } = ctx.store;
  const { byStage, ids, emailKeys, recent } = await brain.accountContacts(account.id);
  const [deals, enrollments, actions, suppressed] = await Promise.all([
    brain.deals(ids),
    brain.enrollments(ids),
    brain.actions(ids),
    brain.countSuppressed(emailKeys),
  ]);
  const view = {
    account: toAccount(account),
    contacts: { total: Object.values(byStage).reduce((sum, count) => sum + count), by_stage: byStage, recent },
    deals: deals.map(showDeal),
    enrollments: await showEnrollments(ctx, enrollments),
    actions: actions.map(showAction),
    suppressed,
  };
  return { view, ids, enrolledIds: enrollments.map(({ contactId }) => contactId) };
}
