import { counted } from "../../../figures.ts";
import { inWords, statusInWords } from "../../../names.ts";
import { SESSIONS, WRONG_ACCOUNT } from "../../agents/words.ts";
import type { Watch } from "../watch.ts";

/** Of so many accounts the next windows are told. */
const MOST_WINDOWS = 5;

export const AGENT_WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "list_planned_actions",
    async find({ call }) {
      const { data, meta } = await call("list_planned_actions", { status: "needs_review", limit: 1 });
      const [first] = data;
      if (first === undefined) return [];
      const say = `${counted(meta.total, "action has", "actions have")} an unknown outcome: look at the network, and say what came of it.`;
      return [{ say, tone: "stopped", word: "unknown", to: `/agents/${first.account_id}` }];
    },
  },
  {
    block: "needs_you",
    needs: "list_planned_actions",
    async find({ call }) {
      const { data, meta } = await call("list_planned_actions", { status: "held", limit: 1 });
      const [first] = data;
      if (first === undefined) return [];
      const say = `${counted(meta.total, "action is", "actions are")} held until somebody releases or cancels it.`;
      return [{ say, tone: "needs", word: "held", to: `/review/action/${first.id}` }];
    },
  },
  {
    block: "needs_you",
    needs: "list_socialnet_accounts",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: 100 });
      return data
        .filter(({ held_reason }) => held_reason !== null)
        .map(({ id, label, held_reason }) => ({
          say: `${label} is held: ${inWords(held_reason ?? "").toLowerCase()}.`,
          ...({ tone: "stopped", word: "held", to: `/agents/${id}` } as const),
        }));
    },
  },
  {
    block: "needs_you",
    needs: "list_socialnet_accounts",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: 100 });
      // A hold is told of already, and one that no agent was ever heard of waits for nobody.
      return data
        .filter((account) => account.held_reason === null && account.session_at !== null && account.session !== "ready")
        .map(({ id, label, session }) => {
          const say = session === null ? "Somebody else is signed in to the network." : SESSIONS[session];
          const word = session === null ? WRONG_ACCOUNT : statusInWords(session);
          return { say: `${label}'s agent cannot work. ${say}`, tone: "stopped", word, to: `/agents/${id}` } as const;
        });
    },
  },
  {
    block: "going_on",
    needs: "list_planned_actions",
    async find({ call }) {
      const under = await Promise.all(
        (["claimed", "started"] as const).map(async (status) => ({
          status,
          ...(await call("list_planned_actions", { status, limit: 1 })),
        })),
      );
      return under.flatMap(({ status, data: [first], meta }) => {
        if (first === undefined) return [];
        const say = `${counted(meta.total, "action is", "actions are")} ${status} by an agent now.`;
        return [{ say, tone: "plain", word: status, to: `/agents/${first.account_id}` } as const];
      });
    },
  },
  {
    block: "going_on",
    needs: "get_socialnet_account",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: MOST_WINDOWS });
      const whole = await Promise.all(data.map(({ id }) => call("get_socialnet_account", { account_id: id })));
      return whole.map(({ data: { id, label, window, claimable, time_zone } }) => {
        const at = window.open ? window.closes_at : window.opens_at;
        const until = at === null ? "" : ` ${window.open ? "until" : "opens"} ${inZone(at, time_zone)}`;
        const work =
          claimable === 0
            ? "there is nothing for its agent to do"
            : `its agent can take ${counted(claimable, "action")}`;
        return {
          say: `${label}'s window ${window.open ? `is open${until}` : at === null ? "is shut" : until.trim()}; ${work}.`,
          ...({ tone: "plain", word: "window", to: `/agents/${id}` } as const),
        };
      });
    },
  },
];

function inZone(at: string, timeZone: string): string {
  const shown = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" });
  return `${shown.format(new Date(at))} (${timeZone})`;
}
