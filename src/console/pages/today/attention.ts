import { REVIEW_KINDS, type ReviewKind } from "../../../domain/checklist/review.ts";
import { DAY_MS, HOUR_MS } from "../../../lib/time.ts";
import { counted } from "../../ui/format.ts";
import { statusLabel } from "../../ui/labels.ts";
import { loadQueue, pathOf } from "../review/load.ts";
import type { AttentionItem, AttentionSource } from "./attention-item.ts";
import { SEQUENCE_SOURCES } from "./attention-outreach.ts";
import { AGENT_SOURCES } from "./attention-socialnet.ts";

/** Agents renew in good time what they still want: within this, one has stopped. */
const ENDS_SOON_MS = 2 * HOUR_MS;
const SOON_MS = 14 * DAY_MS;

const EVENT_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_you",
    needs: "list_webhooks",
    async find({ call }) {
      const { data } = await call("list_webhooks", { limit: 100 });
      return data
        .filter(({ suspended_at }) => suspended_at !== null)
        .map(({ url }) => ({
          say: `${new URL(url).host} is sent nothing any more.`,
          tone: "stopped",
          word: "Suspended",
          to: "/events",
        }));
    },
  },
  {
    block: "needs_you",
    needs: "list_deliveries",
    async find({ call }) {
      const { meta } = await call("list_deliveries", { status: "dead", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "delivery", "deliveries")} could not be made.`;
      return [{ say, tone: "stopped", word: "Dead", to: "/events/deliveries", query: { status: "dead" } }];
    },
  },
  {
    block: "needs_you",
    needs: "list_subscriptions",
    async find({ call, now }) {
      const { data } = await call("list_subscriptions", { limit: 100 });
      const ending = data.filter(
        ({ expires_at }) => expires_at !== null && Date.parse(expires_at) - now < ENDS_SOON_MS,
      );
      return ending.map(({ event, key_name }) => ({
        say: `${key_name} hears of ${event} for less than two hours more, unless it renews that.`,
        ...({ tone: "needs", word: "Ends soon", to: "/events/subscriptions" } as const),
      }));
    },
  },
  {
    block: "needs_you",
    needs: "list_keys",
    async find({ call, now }) {
      const { data } = await call("list_keys", { limit: 100 });
      return data
        .filter(({ expires_at, revoked_at }) => {
          const left = expires_at === null || revoked_at !== null ? Number.NaN : Date.parse(expires_at) - now;
          return left > 0 && left < SOON_MS;
        })
        .map(({ name }) => ({
          say: `The key ${name} ends soon.`,
          tone: "needs",
          word: "Ends soon",
          to: "/settings/keys",
        }));
    },
  },
  {
    block: "going_on",
    needs: "list_deliveries",
    async find({ call }) {
      const { meta } = await call("list_deliveries", { status: "pending", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${counted(meta.total, "delivery is", "deliveries are")} on the way.`;
      return [{ say, tone: "plain", to: "/events/deliveries", query: { status: "pending" } }];
    },
  },
];

const WAITS = statusLabel("pending");

const TO_DO: Record<ReviewKind, readonly [one: string, many: string]> = {
  action: ["action to approve", "actions to approve"],
  sequence: ["audience to apply", "audiences to apply"],
  card: ["document to decide", "documents to decide"],
  post: ["post to decide", "posts to decide"],
  publish: ["post to publish", "posts to publish"],
};

const REVIEW_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_you",
    needs: "list_review",
    async find(ctx) {
      const { heads, counts } = await loadQueue(ctx, 1);
      return REVIEW_KINDS.flatMap((kind) => {
        const first = heads.find((head) => head.kind === kind);
        if (first === undefined) return [];
        const say = counted(counts[kind], ...TO_DO[kind]);
        return [{ say, tone: "needs", word: WAITS, to: pathOf({ kind, id: first.id }) } as const];
      });
    },
  },
];

const WORKSPACE_SOURCES: readonly AttentionSource[] = [
  {
    block: "needs_you",
    needs: "get_workspace",
    async find({ call }) {
      const { billing, plan, usage } = (await call("get_workspace", {})).data;
      const stopped = (say: string) =>
        ({ say, tone: "stopped", word: "Stopped", to: "/settings/workspace" }) satisfies AttentionItem;
      const reason = billing.read_only_reason;
      const allowed = plan.contact_allowance;
      return [
        ...(reason === null ? [] : [stopped(`The workspace is read-only: ${reason}.`)]),
        ...(allowed === null || usage.contacts < allowed ? [] : [stopped("The plan's contact allowance is used up.")]),
      ];
    },
  },
];

/** All that the front page looks after, by area of the product. */
export const ATTENTION_SOURCES: readonly AttentionSource[] = [
  ...WORKSPACE_SOURCES,
  ...REVIEW_SOURCES,
  ...AGENT_SOURCES,
  ...SEQUENCE_SOURCES,
  ...EVENT_SOURCES,
];
