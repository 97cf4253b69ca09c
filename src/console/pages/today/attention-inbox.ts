import { counted } from "../../ui/format.ts";
import { nameOf } from "../../ui/labels.ts";
import { saidIn } from "../inbox/labels.ts";
import type { AttentionSource } from "./attention-item.ts";

/** Replies that are listed one by one. */
const SHOWN = 5;

/**
 * Replies come before everything else: a person waits for an answer. They stay until they are answered, done, snoozed or
 * assigned to another teammate.
 */
export const INBOX_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_conversations",
    resolvedBy: "answer_by_email",
    async find({ call }) {
      const list = { view: "to_answer", order: "oldest", limit: SHOWN, counts: false } as const;
      const { data, meta } = await call("list_conversations", list);
      const items = data.map(({ contact_id, contact, last_reply, unread }) => {
        const name = contact === null ? "A contact" : nameOf(contact);
        const text = `${name} replied: “${saidIn(last_reply)}”`;
        const row = {
          tone: "needs",
          verb: "Reply",
          at: last_reply.at,
          to: `/inbox/${contact_id}`,
          first: true,
        } as const;
        return { ...row, text, ...(unread && { unread }) };
      });
      const rest = meta.total - items.length;
      if (rest <= 0) return items;
      const text = counted(rest, "more reply to answer", "more replies to answer");
      return [...items, { text, tone: "needs", verb: "Reply", count: rest, to: "/inbox", first: true } as const];
    },
  },
];
