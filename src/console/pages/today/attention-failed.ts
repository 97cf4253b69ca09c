import { DAY_MS } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { amount, counted } from "../../ui/format.ts";
import { revealed, statusLabel } from "../../ui/labels.ts";
import { at, KINDS, outcomeLabel } from "../socialnet/labels.ts";
import type { AttentionItem, AttentionSource } from "./attention-item.ts";

/** Failures that are listed one by one, and that are read to find them. */
const SHOWN = 5;
const READ = 20;
/** An action that failed can't be retried, so its row ends by itself. Agent activity still shows it. */
const SHOWN_MS = 7 * DAY_MS;
const MAX_EVIDENCE = 160;

type Action = DataOf<"list_planned_actions">[number];

/**
 * Messages that an agent reported as not sent: the approver believes that they went out. A row ends after a week, or once
 * an action for the contact was planned after the failure, or the contact opted out. What a teammate marked as not sent
 * is no news.
 */
export const FAILED_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_planned_actions",
    resolvedBy: "plan_socialnet_action",
    async find(ctx) {
      const { data } = await ctx.call("list_planned_actions", { status: "failed", limit: READ });
      const recent = data.filter(({ ended_at }) => Date.parse(ended_at ?? "") > ctx.now - SHOWN_MS);
      if (recent.length === 0) return [];
      const optedOut = await suppressedAmong(ctx, recent);
      const found = await Promise.all(
        recent.filter(({ contact_id }) => !optedOut.has(contact_id)).map((action) => toItem(ctx, action)),
      );
      const items = found.filter((item) => item !== undefined);
      const rest = items.length - SHOWN;
      if (rest <= 0) return items;
      // Older failures than those that were read may count too.
      const text =
        recent.length < READ
          ? counted(rest, "more action failed", "more actions failed")
          : `${amount(rest)} or more other actions failed`;
      return [...items.slice(0, SHOWN), { text, tone: "stopped", label: FAILED, count: rest, to: "/agents/work" }];
    },
  },
];

const FAILED = statusLabel("failed");

async function suppressedAmong({ call }: PageContext, actions: readonly Action[]): Promise<ReadonlySet<string>> {
  const contact_ids = [...new Set(actions.map(({ contact_id }) => contact_id))];
  return new Set((await call("find_suppressed_contacts", { contact_ids })).data);
}

async function toItem({ call }: PageContext, action: Action): Promise<AttentionItem | undefined> {
  const { id, account_id, contact_id, contact_name, recipient_url, kind, ended_at } = action;
  const [newest, whole] = await Promise.all([
    call("list_planned_actions", { contact_id, limit: 1 }),
    call("get_planned_action", { action_id: id }),
  ]);
  const planned = newest.data[0]?.created_at ?? "";
  const report = whole.data.starts[0];
  if (planned > (ended_at ?? "") || report?.status_after !== "failed") return undefined;
  const name = revealed(contact_name ?? recipient_url);
  const text = `${KINDS[kind]} to ${name} failed.${reasonOf(report)}`;
  const to = at(account_id, `/actions/${id}`);
  return { text, tone: "stopped", label: FAILED, to, ...(ended_at !== null && { at: ended_at }) };
}

/** What the agent reported, in its own words where it had some. */
function reasonOf({ outcome, evidence }: DataOf<"get_planned_action">["starts"][number]): string {
  const result = outcome === null || outcome === "not_sent" ? "" : ` ${outcomeLabel(outcome)}.`;
  const said = revealed(evidence ?? "").trim();
  if (said === "") return result;
  return `${result} “${said.length > MAX_EVIDENCE ? `${said.slice(0, MAX_EVIDENCE).trimEnd()}…` : said}”`;
}
