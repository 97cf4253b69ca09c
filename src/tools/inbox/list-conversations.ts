import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { CONVERSATION_ORDERS, CONVERSATION_VIEWS, type ConversationView } from "../../domain/outreach/conversation.ts";
import { oneOf } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Conversation, showConversations } from "./conversation-schema.ts";

const counts = z.object(
  Object.fromEntries([...Object.keys(CONVERSATION_VIEWS), "unread"].map((view) => [view, z.int()])) as Record<
    ConversationView | "unread",
    z.ZodInt
  >,
);

export const listConversations = personOperation({
  name: "list_conversations",
  area: "inbox",
  title: "List conversations",
  description:
    "Lists the conversations with contacts who wrote to you, by email or on the professional network: by default, unread ones first, then the newest. Automatic replies open no conversation.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    view: oneOf(CONVERSATION_VIEWS, "Which conversations to list.").default("open"),
    order: oneOf(CONVERSATION_ORDERS, "The order of the list.").default("newest"),
    counts: z.boolean().default(true).describe("Whether to count the other views too."),
    ...pageFields,
  }),
  output: z.array(Conversation),
  meta: ListMeta.extend({
    counts: counts
      .nullable()
      .describe("How many conversations each view has, and how many are unread. Null if only this view is counted."),
  }),
  async handler(ctx, { view, order, counts: countsAll, ...page }) {
    const by = { memberId: ctx.actor.id, now: ctx.now };
    const rows = await ctx.store.conversations.list(view, by, page, order);
    const counts = countsAll ? await ctx.store.conversations.counts(by) : null;
    const isAll = page.offset === 0 && rows.length < page.limit;
    const total = counts?.[view] ?? (isAll ? rows.length : await ctx.store.conversations.count(view, by));
    return { data: await showConversations(ctx, rows), meta: { ...listMeta(page, rows.length, total), counts } };
  },
});
