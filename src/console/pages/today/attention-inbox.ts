import { counted } from "../../ui/format.ts";
import { nameOf } from "../../ui/labels.ts";
import { saidIn } from "../inbox/list.tsx";
import type { AttentionSource } from "./attention-item.ts";

/** Replies that are listed one by one. */
const SHOWN = 5;

/** Replies come before everything else: a person waits for an answer. */
export const INBOX_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_conversations",
    resolvedBy: "answer_by_email",
    async find({ call }) {
      const { data, meta } = await call("list_conversations", { limit: SHOWN });
      const unread = data.filter((row) => row.unread);
      const items = unread.map(({ contact_id, contact, last_reply }) => {
        const name = contact === null ? "A contact" : nameOf(contact);
        const text = `${name} replied: “${saidIn(last_reply)}”`;
        return { text, tone: "needs", verb: "Reply", to: `/inbox/${contact_id}`, first: true } as const;
      });
      const rest = meta.counts.unread - items.length;
      if (rest <= 0) return items;
      const text = counted(rest, "more unread reply", "more unread replies");
      return [...items, { text, tone: "needs", verb: "Reply", count: rest, to: "/inbox", first: true } as const];
    },
  },
];
