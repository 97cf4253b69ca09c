import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { appointment, counted } from "../../ui/format.ts";
import { revealed, statusLabel } from "../../ui/labels.ts";
import { toneOf } from "../../ui/status.tsx";
import { at, KINDS, SESSIONS, WRONG_ACCOUNT } from "../socialnet/labels.ts";
import type { AttentionItem, AttentionSource } from "./attention-item.ts";

/** The number of accounts whose sending hours are listed. */
const MAX_ACCOUNTS = 5;

export const AGENT_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_planned_actions",
    resolvedBy: "settle_socialnet_action",
    find: (ctx) =>
      byAccount(ctx, "needs_review", (count, what) => {
        const [are, each] = count === 1 ? ["is", "it"] : ["are", "each"];
        return `${what} ${are} unconfirmed. Check the professional network, then mark ${each} as sent or not sent.`;
      }),
  },
  {
    block: "needs_attention",
    needs: "list_planned_actions",
    resolvedBy: "release_socialnet_action",
    find: (ctx) =>
      byAccount(ctx, "held", (count, what, { change_requested_at, note }) => {
        const one = count === 1;
        if (one && change_requested_at !== null)
          return `${what} needs changes: “${note}”${/[.!?…]$/.test(note ?? "") ? "" : "."} Edit or cancel it.`;
        return one
          ? `${what} is on hold. Release or cancel it.`
          : `${what} are on hold. Edit, release or cancel each of them.`;
      }),
  },
  {
    block: "needs_attention",
    needs: "list_socialnet_accounts",
    resolvedBy: "request_reconnect",
    async find({ call }) {
      const { data } = await call("list_socialnet_accounts", { limit: 100 });
      const held = data
        .filter(({ held_reason }) => held_reason !== null)
        .map(
          ({ id, label, held_reason, held_since, owner_member_id }) =>
            ({
              text: `Social account ${label} is on hold${owner_member_id === null && held_reason !== "rate_limited" ? ". No one was asked to fix this, because the account has no account holder." : ""}`,
              tone: toneOf(held_reason ?? "held"),
              label: statusLabel(held_reason ?? "held"),
              ...(held_since !== null && { at: held_since }),
              to: at(id),
              group: "fix",
            }) as const,
        );
      // An account on hold is listed already, and one without an agent needs no action.
      const stopped = data
        .filter((account) => account.held_reason === null && account.session_at !== null && account.session !== "ready")
        .map(({ id, label, session, session_since }) => {
          const age = session_since === null ? {} : { at: session_since };
          const reason = session === null ? "Its browser is signed in to a different account." : SESSIONS[session];
          const chip = session === null ? WRONG_ACCOUNT : statusLabel(session);
          return {
            text: `${label}'s agent can't work. ${reason}`,
            tone: "stopped",
            label: chip,
            to: at(id),
            ...age,
          } as const;
        });
      return [...held, ...stopped];
    },
  },
  {
    block: "in_progress",
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
        const text = `${counted(meta.total, "action")} ${status === "claimed" ? "claimed" : "being sent"} by agents`;
        return [{ text, tone: "plain", to: at(first.account_id), query: { status } } as const];
      });
    },
  },
  {
    block: "in_progress",
    needs: "get_socialnet_account",
    async find({ call, workspace, now }) {
      const { data } = await call("list_socialnet_accounts", { limit: MAX_ACCOUNTS });
      const whole = await Promise.all(
        data.map(async ({ id: account_id }) => (await call("get_socialnet_account", { account_id })).data),
      );
      return whole.map(({ id, label, window, claimable, approved, time_zone }) => {
        const queue =
          claimable > 0
            ? `${counted(claimable, "action")} ready for its agent`
            : approved > 0
              ? `${counted(approved, "approved action")} waiting${blockOf(workspace)}`
              : "no approved actions waiting";
        const text = `Social account ${label}: sending hours ${hoursText(window, now, time_zone)}, ${queue}`;
        return { text, tone: "plain", to: at(id) } as const;
      });
    },
  },
];

type Hours = DataOf<"get_socialnet_account">["window"];

function hoursText({ open, opens_at, closes_at }: Hours, now: number, timeZone: string): string {
  const shown = (at: string) => appointment(Date.parse(at), now, timeZone);
  if (open) return closes_at === null ? "open" : `open until ${shown(closes_at)}`;
  return opens_at === null ? "closed" : `start ${shown(opens_at)}`;
}

/** Why no approved action of the workspace is sent, if one setting blocks all of them. */
function blockOf({ outreach, deployment }: PageContext["workspace"]): string {
  if (deployment.socialnet_execution === "off") return " (social sending is off)";
  if (deployment.outbound_gate === "closed") return " (sending is off)";
  return outreach.paused_at === null ? "" : " (outreach is paused)";
}

/** The number of newest actions that are read to find their accounts. */
const MAX_ACTIONS = 20;

/** Actions that need attention, by account. A single one links to its own page, several link to the account. */
async function byAccount(
  { call }: PageContext,
  status: "needs_review" | "held",
  /** @param what the actions and whose they are @param first the newest of them */
  textOf: (count: number, what: string, first: DataOf<"list_planned_actions">[number]) => string,
): Promise<AttentionItem[]> {
  const { data, meta } = await call("list_planned_actions", { status, limit: MAX_ACTIONS });
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
  // What became of an unconfirmed action is a decision.
  const group = status === "needs_review" ? "decide" : "fix";
  const chip = { tone: toneOf(status, "action"), label: statusLabel(status, "action"), group } as const;
  const items = found.map(({ account_id, first, own }): AttentionItem => {
    const to = own === 1 ? at(account_id, `/actions/${first.id}`) : at(account_id);
    const what =
      own === 1
        ? `${KINDS[first.kind]} to ${revealed(first.contact_name ?? first.recipient_url)}`
        : `${counted(own, "action")} from social account ${first.account_label}`;
    const oldest = data.filter((row) => row.account_id === account_id).map(({ updated_at }) => updated_at);
    const since = oldest.sort()[0] ?? first.updated_at;
    return {
      text: textOf(own, what, first),
      ...chip,
      count: own,
      at: since,
      to,
      ...(own > 1 && { query: { status } }),
    };
  });
  const rest = meta.total - found.reduce((sum, { own }) => sum + own, 0);
  const [any] = data;
  if (rest === 0 || any === undefined) return items;
  const text = textOf(rest, `${counted(rest, "action")} from other social accounts`, any);
  return [...items, { text, ...chip, count: rest, to: "/agents" }];
}
