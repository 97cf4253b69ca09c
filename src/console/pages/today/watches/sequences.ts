import { amount, counted } from "../../../figures.ts";
import { inWords } from "../../../names.ts";
import type { Watch } from "../watch.ts";

export const SEQUENCE_WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "list_sends",
    async find({ call }) {
      const { meta } = await call("list_sends", { status: "unknown", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "message", "messages")} may have been sent or not: look, and say which.`;
      return [{ say, tone: "stopped", word: "unknown", to: "/sequences/sends", query: { status: "unknown" } }];
    },
  },
  {
    block: "going_on",
    needs: "list_enrollments",
    async find({ call }) {
      const { meta } = await call("list_enrollments", { status: "active", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "contact is", "contacts are")} on the way through a sequence.`;
      return [{ say, tone: "plain", word: "sequences", to: "/sequences" }];
    },
  },
  {
    block: "going_on",
    needs: "list_enrollments",
    async find({ call }) {
      const { meta } = await call("list_enrollments", { status: "waiting_on_action", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "enrollment waits", "enrollments wait")} for an action to be taken.`;
      return [{ say, tone: "plain", word: "waits", to: "/sequences" }];
    },
  },
  {
    block: "going_on",
    needs: "list_deal_totals",
    async find({ call }) {
      const { data } = await call("list_deal_totals", {});
      const said = ["prospecting", "qualification", "proposal", "negotiation"].flatMap((stage) => {
        const count = data.reduce((sum, total) => (total.stage === stage ? sum + total.deals : sum), 0);
        return count === 0 ? [] : [`${amount(count)} in ${inWords(stage).toLowerCase()}`];
      });
      return said.length === 0
        ? []
        : [{ say: `Open deals: ${said.join(", ")}.`, tone: "plain", word: "deals", to: "/deals" }];
    },
  },
];
