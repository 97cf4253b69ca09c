import { z } from "zod";
import type { Context } from "../../context.ts";

export const Written = z.object({
  kind: z.enum(["contact", "deal", "card", "post", "action", "account"]),
  id: z.string(),
  title: z.string().nullable(),
});
export type Written = z.infer<typeof Written>;

type Find = (ctx: Context, id: string) => Promise<Written | null>;

const contact: Find = async ({ store }, id) => {
  const found = (await store.contacts.find(id))?.contact;
  if (found === undefined) return null;
  return { kind: "contact", id, title: [found.first_name, found.last_name].filter(Boolean).join(" ") || found.email };
};

/** What each operation of agents writes; of the others nothing has a page. */
const FINDS: { [operation: string]: Find } = {
  create_contact: contact,
  assert_contact: contact,
  update_contact: contact,
  add_contact_tags: contact,
  async create_deal({ store }, id) {
    const deal = await store.deals.find(id);
    return deal === undefined ? null : { kind: "deal", id, title: deal.title };
  },
  async enroll_contact(ctx, id) {
    const enrollment = await ctx.store.enrollments.find(id);
    return enrollment === undefined ? null : contact(ctx, enrollment.contactId);
  },
  async submit_checklist_output({ store }, id) {
    const card = await store.cards.find(id);
    if (card !== undefined) return { kind: "card", id, title: card.title };
    const post = await store.posts.find(id);
    return post === undefined ? null : { kind: "post", id, title: post.title };
  },
  async socialnet_command({ store }, id) {
    const action = await store.socialnetActions.find(id);
    if (action !== undefined) return { kind: "action", id, title: null };
    const account = await store.socialnetAccounts.find(id);
    return account === undefined ? null : { kind: "account", id, title: account.label };
  },
};

/** The record that an agent's write was about; null where it has no page, or is gone. */
export async function writtenBy(ctx: Context, operation: string, id: string): Promise<Written | null> {
  return (await FINDS[operation]?.(ctx, id)) ?? null;
}
