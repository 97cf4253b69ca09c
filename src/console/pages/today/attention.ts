import { REVIEW_KINDS, type ReviewKind } from "../../../domain/checklist/review.ts";
import { DAY_MS, HOUR_MS, iso } from "../../../lib/time.ts";
import type { OperationName } from "../../app/operations.ts";
import { counted, relatively } from "../../ui/format.ts";
import { codeLabel, revealed, statusLabel } from "../../ui/labels.ts";
import { type Head, loadQueue, pathOf } from "../review/load.ts";
import { FAILED_SOURCES } from "./attention-failed.ts";
import { INBOX_SOURCES } from "./attention-inbox.ts";
import type { AttentionItem, AttentionSource } from "./attention-item.ts";
import { SEQUENCE_SOURCES } from "./attention-outreach.ts";
import { AGENT_SOURCES } from "./attention-socialnet.ts";

/** Agents renew subscriptions earlier than this, so a subscription that expires this soon was probably abandoned. */
const EXPIRES_SOON_MS = 2 * HOUR_MS;
const KEY_EXPIRES_SOON_MS = 14 * DAY_MS;

const EVENT_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_webhooks",
    async find({ call }) {
      const { data } = await call("list_webhooks", { limit: 100 });
      return data
        .filter(({ suspended_at }) => suspended_at !== null)
        .map(({ url, suspended_at }) => ({
          text: `Webhook deliveries to ${new URL(url).host} are suspended`,
          tone: "stopped",
          label: "Suspended",
          ...(suspended_at !== null && { at: suspended_at }),
          to: "/events",
        }));
    },
  },
  {
    block: "needs_attention",
    needs: "list_deliveries",
    async find({ call }) {
      const { data, meta } = await call("list_deliveries", { status: "dead", limit: 1 });
      const [newest] = data;
      if (newest === undefined) return [];
      const isOne = meta.total === 1;
      const text = isOne
        ? `Webhook delivery to ${new URL(newest.url).host} failed`
        : `${counted(meta.total, "webhook delivery", "webhook deliveries")} failed`;
      return [
        {
          text,
          ...(isOne && { at: newest.finished_at ?? newest.created_at }),
          tone: "stopped",
          label: statusLabel("dead"),
          count: meta.total,
          to: "/events/deliveries",
          query: { status: "dead" },
        },
      ];
    },
  },
  {
    block: "needs_attention",
    needs: "list_subscriptions",
    async find({ call, now }) {
      const { data } = await call("list_subscriptions", { limit: 100 });
      const expiring = data.filter(
        ({ expires_at }) => expires_at !== null && Date.parse(expires_at) - now < EXPIRES_SOON_MS,
      );
      return expiring.map(({ event, key_name }) => ({
        text: `The subscription of ${key_name} to ${event} expires in less than 2 hours`,
        ...({ tone: "needs", label: "Expires soon", to: "/events/subscriptions", group: "know" } as const),
      }));
    },
  },
  {
    block: "needs_attention",
    needs: "list_keys",
    async find({ call, now, workspace }) {
      const { data } = await call("list_keys", { limit: 100 });
      return data
        .filter(({ expires_at, revoked_at }) => {
          const left = expires_at === null || revoked_at !== null ? Number.NaN : Date.parse(expires_at) - now;
          return left > 0 && left < KEY_EXPIRES_SOON_MS;
        })
        .map(({ name, expires_at }) => ({
          text: `API key “${name}” expires ${relatively(Date.parse(expires_at ?? ""), now, workspace.time_zone)}. Create a new key, give it to the agent, then revoke this one.`,
          tone: "needs",
          label: "Expires soon",
          to: "/settings/keys",
          group: "know",
        }));
    },
  },
  {
    block: "in_progress",
    needs: "list_deliveries",
    async find({ call }) {
      const { meta } = await call("list_deliveries", { status: "pending", limit: 1 });
      if (meta.total === 0) return [];
      const text = `${counted(meta.total, "webhook delivery", "webhook deliveries")} pending`;
      return [{ text, tone: "plain", to: "/events/deliveries", query: { status: "pending" } }];
    },
  },
];

const TO_DO: Record<ReviewKind, readonly [one: string, many: string]> = {
  answer: ["answer to send", "answers to send"],
  action: ["action to approve", "actions to approve"],
  sequence: ["approved audience to activate", "approved audiences to activate"],
  card: ["document to review", "documents to review"],
  post: ["post to review", "posts to review"],
  publish: ["post to publish", "posts to publish"],
};

const named = ({ title }: Head) => (title.trim() === "" ? "without a name" : `“${revealed(title.trim())}”`);
const toWhom = ({ title }: Head) => revealed(title.trim()) || "a contact";

/** The only one of its kind, by its name. */
const ONLY: Record<ReviewKind, (head: Head) => string> = {
  answer: (head) => `Answer to ${toWhom(head)} needs review`,
  action: (head) => `${codeLabel(head.about ?? "message")} to ${toWhom(head)} needs review`,
  sequence: (head) => `Approved audience of ${named(head)} to activate`,
  card: (head) => `Document ${named(head)} needs review`,
  post: (head) => `Post ${named(head)} needs review`,
  publish: (head) => `Post ${named(head)} to publish`,
};

/** An approved audience or post needs another step than a review. */
const VERBS: Record<ReviewKind, string> = {
  answer: "Review",
  action: "Review",
  sequence: "Activate",
  card: "Review",
  post: "Review",
  publish: "Publish",
};

const DECIDED_BY: Record<ReviewKind, OperationName> = {
  answer: "approve_answer",
  action: "approve_socialnet_action",
  sequence: "apply_sequence_approval",
  card: "decide_card",
  post: "decide_post",
  publish: "mark_post",
};

const REVIEW_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "list_review",
    resolvedBy: "decide_card",
    async find(ctx) {
      const { heads, counts } = await loadQueue(ctx, 1);
      const now = iso(ctx.now);
      return REVIEW_KINDS.filter((kind) => ctx.may(DECIDED_BY[kind])).flatMap((kind) => {
        const first = heads.find((head) => head.kind === kind);
        if (first === undefined) return [];
        const text = counts[kind] === 1 ? ONLY[kind](first) : counted(counts[kind], ...TO_DO[kind]);
        const to = pathOf({ kind, id: first.id });
        // A post that is due later has no age.
        const age = first.waits_since > now ? {} : { at: first.waits_since };
        return [{ text, tone: "needs", verb: VERBS[kind], count: counts[kind], to, ...age } as const];
      });
    },
  },
];

const WORKSPACE_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_attention",
    needs: "get_workspace",
    resolvedBy: "set_billing",
    async find({ call }) {
      const { billing, plan, usage } = (await call("get_workspace", {})).data;
      const stopped = (text: string, label: string) =>
        ({ text, tone: "stopped", label, to: "/settings/workspace" }) satisfies AttentionItem;
      const reason = billing.read_only_reason;
      const allowed = plan.contact_allowance;
      return [
        ...(reason === null ? [] : [stopped(`Billing: ${reason}`, "Read-only")]),
        ...(allowed === null || usage.contacts < allowed
          ? []
          : [stopped("You've reached your plan's contact limit", "Limit reached")]),
      ];
    },
  },
];

/** All sources of the front page, by area of the product. */
export const ATTENTION_SOURCES: readonly AttentionSource[] = [
  ...INBOX_SOURCES,
  ...WORKSPACE_SOURCES,
  ...REVIEW_SOURCES,
  ...FAILED_SOURCES,
  ...AGENT_SOURCES,
  ...SEQUENCE_SOURCES,
  ...EVENT_SOURCES,
];
