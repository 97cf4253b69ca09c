import type { PageContext } from "../../app/page-context.ts";
import { counted } from "../../ui/format.ts";
import { codeLabel, statusLabel } from "../../ui/labels.ts";
import { toneOf } from "../../ui/status.tsx";
import { at, SESSIONS, WRONG_ACCOUNT } from "../socialnet/labels.ts";
import type { AttentionItem, AttentionSource } from "./attention-item.ts";

/** The next windows of this many accounts are listed. */
const MAX_WINDOWS = 5;

export const AGENT_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_you",
    needs: "list_planned_actions",
    find: (ctx) =>
      byAccount(ctx, "needs_review", (count, label) => {
        const what = `${counted(count, "action")} of ${label} ${count === 1 ? "has" : "have"} an unknown outcome`;
        return `${what}: look at the network, and say what came of it.`;
      }),
  },
  {
    block: "needs_you",
    needs: "list_planned_actions",
    find: (ctx) =>
      byAccount(ctx, "held", (count, label) => {
        const one = count === 1;
        const what = `${counted(count, "action")} of ${label} ${one ? "is" : "are"} held`;
        return `${what} until somebody releases or cancels ${one ? "it" : "them"}.`;
      }),
  },
  {
    block: "needs_you",
    needs: "list_socialnet_accounts",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: 100 });
      return data
        .filter(({ held_reason }) => held_reason !== null)
        .map(({ id, label, held_reason }) => ({
          say: `${label} is held: ${codeLabel(held_reason ?? "").toLowerCase()}.`,
          tone: toneOf(held_reason ?? "held"),
          word: statusLabel(held_reason ?? "held"),
          to: at(id),
        }));
    },
  },
  {
    block: "needs_you",
    needs: "list_socialnet_accounts",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: 100 });
      // An account on hold is listed already, and one without an agent needs no action.
      return data
        .filter((account) => account.held_reason === null && account.session_at !== null && account.session !== "ready")
        .map(({ id, label, session }) => {
          const say = session === null ? "Somebody else is signed in to the network." : SESSIONS[session];
          const word = session === null ? WRONG_ACCOUNT : statusLabel(session);
          return { say: `${label}'s agent cannot work. ${say}`, tone: "stopped", word, to: at(id) } as const;
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
        return [{ say, tone: "plain", to: at(first.account_id), query: { status } } as const];
      });
    },
  },
  {
    block: "going_on",
    needs: "get_socialnet_account",
    async find({ call, workspace }) {
      const { data } = await call("list_socialnet_accounts", { limit: MAX_WINDOWS });
      const whole = await Promise.all(
        data.map(async ({ id: account_id }) => {
          const [account, approved] = await Promise.all([
            call("get_socialnet_account", { account_id }),
            call("list_planned_actions", { account_id, status: "approved", limit: 1 }),
          ]);
          return { ...account.data, approved: approved.meta.total };
        }),
      );
      return whole.map(({ id, label, window, claimable, approved, time_zone }) => {
        const turns = window.open ? window.closes_at : window.opens_at;
        const until = turns === null ? "" : ` ${window.open ? "until" : "opens"} ${inZone(turns, time_zone)}`;
        const work =
          claimable > 0
            ? `its agent can take ${counted(claimable, "action")}`
            : approved > 0
              ? `${counted(approved, "approved action waits", "approved actions wait")}${whatHolds(workspace)}`
              : "there is nothing for its agent to do";
        return {
          say: `${label}'s window ${window.open ? `is open${until}` : turns === null ? "is shut" : until.trim()}; ${work}.`,
          ...({ tone: "plain", to: at(id) } as const),
        };
      });
    },
  },
];

/** What keeps all approved actions of a workspace back, where one thing does. */
function whatHolds({ outreach, deployment }: PageContext["workspace"]): string {
  if (deployment.socialnet_execution === "off") return ": this server lets no agent send yet";
  return outreach.paused_at === null ? "" : ": outreach is paused";
}

/** Accounts are named from this many of the newest. */
const LOOKED_AT = 20;

/** Actions that need a person, by account: a single one links to its own page, several to the account. */
async function byAccount(
  { call }: PageContext,
  status: "needs_review" | "held",
  say: (count: number, label: string) => string,
): Promise<AttentionItem[]> {
  const { data, meta } = await call("list_planned_actions", { status, limit: LOOKED_AT });
  const firsts = new Map(data.toReversed().map((row) => [row.account_id, row]));
  const found = await Promise.all(
    [...firsts].toReversed().map(async ([account_id, first]) => {
      const isAll = meta.total === data.length;
      const own = isAll
        ? data.filter((row) => row.account_id === account_id).length
        : (await call("list_planned_actions", { account_id, status, limit: 1 })).meta.total;
      return { account_id, first, own };
    }),
  );
  const looks = { tone: toneOf(status, "action"), word: statusLabel(status, "action") };
  const tasks = found.map(({ account_id, first, own }): AttentionItem => {
    const to = own === 1 ? at(account_id, `/actions/${first.id}`) : at(account_id);
    return { say: say(own, first.account_label), ...looks, to, ...(own > 1 && { query: { status } }) };
  });
  const rest = meta.total - found.reduce((sum, { own }) => sum + own, 0);
  return rest > 0 ? [...tasks, { say: say(rest, "other accounts"), ...looks, to: "/agents" }] : tasks;
}

function inZone(at: string, timeZone: string): string {
  const shown = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" });
  return `${shown.format(new Date(at))} (${timeZone})`;
}
