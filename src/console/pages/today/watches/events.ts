import { counted } from "../../../figures.ts";
import type { Watch } from "../watch.ts";

const DAY_MS = 86_400_000;
/** Agents renew in good time what they still want: within this, one has stopped. */
const ENDS_SOON_MS = 2 * 3_600_000;
const SOON_MS = 14 * DAY_MS;

export const EVENT_WATCHES: readonly Watch[] = [
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
