import type { DataOf } from "../../app/operations.ts";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel, statusLabel } from "../../ui/labels.ts";
import { holdText } from "../outreach/enrollments.tsx";
import type { AttentionSource } from "./attention-item.ts";

const OPEN_STAGES = ["prospecting", "qualification", "proposal", "negotiation"] as const;
/** Sequences are named from this many enrollments on hold. */
const MAX_HELD = 20;

export const SEQUENCE_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_you",
    needs: "list_sends",
    async find({ call }) {
      const { meta } = await call("list_sends", { status: "unknown", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "message", "messages")} may have been sent or not: look, and say which.`;
      return [
        { say, tone: "stopped", word: statusLabel("unknown"), to: "/sequences/sends", query: { status: "unknown" } },
      ];
    },
  },
  {
    block: "needs_you",
    needs: "list_enrollments",
    async find({ call }) {
      const { data, meta } = await call("list_enrollments", { held: true, limit: MAX_HELD });
      const isAll = meta.total === data.length;
      // An unconfirmed message is listed above, with the page that resolves it.
      const bySequence = new Map<string, Held[]>();
      for (const row of data.filter(({ held_reason }) => held_reason !== "send_unknown")) {
        bySequence.set(row.sequence_id, [...(bySequence.get(row.sequence_id) ?? []), row]);
      }
      return Promise.all(
        [...bySequence].map(async ([sequence_id, rows]) => {
          const { name } = (await call("get_sequence", { sequence_id })).data;
          const [one, many] = isAll
            ? (["contact waits", "contacts wait"] as const)
            : (["or more contacts wait", "or more contacts wait"] as const);
          const say = `${counted(rows.length, one, many)} for you in ${name}.${whyOf(rows)}`;
          const to = `/sequences/${sequence_id}` as const;
          return { say, tone: "needs", word: statusLabel("pending"), to, query: { show: "held" } } as const;
        }),
      );
    },
  },
  {
    block: "going_on",
    needs: "list_enrollments",
    async find({ call }) {
      const [all, held] = await Promise.all([
        call("list_enrollments", { status: "active", limit: 1 }),
        call("list_enrollments", { status: "active", held: true, limit: 1 }),
      ]);
      const moving = all.meta.total - held.meta.total;
      if (moving === 0) return [];
      const say = `${counted(moving, "contact is", "contacts are")} on the way through a sequence.`;
      return [{ say, tone: "plain", to: "/sequences" }];
    },
  },
  {
    block: "going_on",
    needs: "list_enrollments",
    async find({ call }) {
      const { meta } = await call("list_enrollments", { status: "waiting_on_action", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "enrollment waits", "enrollments wait")} for an action to be taken.`;
      return [{ say, tone: "plain", to: "/sequences" }];
    },
  },
  {
    block: "going_on",
    needs: "list_deals",
    async find({ call }) {
      const found = await Promise.all(
        OPEN_STAGES.map(async (stage) => ({
          stage,
          count: (await call("list_deals", { stage, limit: 1 })).meta.total,
        })),
      );
      const parts = found.flatMap(({ stage, count }) =>
        count === 0 ? [] : [`${amount(count)} in ${codeLabel(stage).toLowerCase()}`],
      );
      return parts.length === 0 ? [] : [{ say: `Open deals: ${parts.join(", ")}.`, tone: "plain", to: "/deals" }];
    },
  },
];

type Held = DataOf<"list_enrollments">[number];

/** The reason, where all have the same. */
function whyOf([first, ...rest]: readonly Held[]): string {
  const reason = first?.held_reason ?? null;
  if (reason === null || rest.some(({ held_reason }) => held_reason !== reason)) return "";
  const isOne = rest.every(({ held_detail }) => held_detail === first?.held_detail);
  return ` ${holdText(reason, (isOne && first?.held_detail) || null)}`;
}
