import type { OperationName } from "../../answers.ts";
import { inWords } from "../../names.ts";
import type { Tone } from "../../parts/basics.tsx";
import type { Visit } from "../../visit.ts";

/** Something on the front page: in a sentence, with the page where it is settled. */
export interface Task {
  say: string;
  tone: Tone;
  /** What it is, in a word beside the colour. */
  word: string;
  to: `/${string}`;
  query?: Record<string, string>;
}

/** One thing that the front page looks after. An area of the product adds its own here. */
export interface Watch {
  block: "needs_you" | "going_on";
  /** Whoever may not call this is not told. */
  needs: OperationName;
  find(visit: Visit): Promise<Task[]>;
}

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;

const some = (count: number, one: string, many: string) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export const WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "get_workspace",
    async find({ workspace }) {
      const reason = workspace.billing.read_only_reason;
      if (reason === null) return [];
      return [
        { say: `The workspace is read-only: ${reason}.`, tone: "stopped", word: "stopped", to: "/settings/workspace" },
      ];
    },
  },
  {
    block: "needs_you",
    needs: "get_workspace",
    async find({ workspace: { plan, usage } }) {
      const allowed = plan.contact_allowance;
      if (allowed === null || usage.contacts < allowed) return [];
      return [
        {
          say: "The plan's contact allowance is used up.",
          tone: "stopped",
          word: "stopped",
          to: "/settings/workspace",
        },
      ];
    },
  },
  {
    block: "needs_you",
    needs: "list_enrollments",
    async find({ call }) {
      const { meta } = await call("list_enrollments", { status: "waiting_on_action", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${some(meta.total, "enrollment waits", "enrollments wait")} for an action to be taken.`;
      return [{ say, tone: "needs", word: "waits", to: "/sequences" }];
    },
  },
  {
    block: "needs_you",
    needs: "get_sequence",
    async find({ call }) {
      const { data } = await call("list_sequences", { limit: 25 });
      const whole = await Promise.all(data.map(({ id }) => call("get_sequence", { sequence_id: id })));
      return whole.flatMap(({ data: { id, name, approvals } }) =>
        approvals
          .filter(({ status }) => status === "approved")
          .map(({ contact_count }): Task => {
            const say = `${name}: an approval for ${some(contact_count, "contact", "contacts")} is given, and not in force.`;
            return { say, tone: "needs", word: "to apply", to: `/sequences/${id}` };
          }),
      );
    },
  },
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
          word: "suspended",
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
      const say = `${some(meta.total, "delivery", "deliveries")} could not be made.`;
      return [{ say, tone: "stopped", word: "dead", to: "/events/deliveries", query: { status: "dead" } }];
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
        .map(({ name }) => ({ say: `The key ${name} ends soon.`, tone: "needs", word: "ends", to: "/settings/keys" }));
    },
  },
  {
    block: "going_on",
    needs: "list_enrollments",
    async find({ call }) {
      const { meta } = await call("list_enrollments", { status: "active", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${some(meta.total, "contact is", "contacts are")} on the way through a sequence.`;
      return [{ say, tone: "plain", word: "sequences", to: "/sequences" }];
    },
  },
  {
    block: "going_on",
    needs: "list_deals",
    async find({ call }) {
      const open = ["prospecting", "qualification", "proposal", "negotiation"] as const;
      const found = await Promise.all(
        open.map(async (stage) => ({ stage, ...(await call("list_deals", { stage, limit: 1 })) })),
      );
      const said = found
        .filter(({ meta }) => meta.total > 0)
        .map(({ stage, meta }) => `${meta.total} in ${inWords(stage).toLowerCase()}`);
      return said.length === 0
        ? []
        : [{ say: `Open deals: ${said.join(", ")}.`, tone: "plain", word: "deals", to: "/deals" }];
    },
  },
  {
    block: "going_on",
    needs: "list_deliveries",
    async find({ call }) {
      const { meta } = await call("list_deliveries", { status: "pending", limit: 1 });
      if (meta.total === 0) return [];
      const say = `${some(meta.total, "delivery is", "deliveries are")} on the way.`;
      return [{ say, tone: "plain", word: "events", to: "/events/deliveries", query: { status: "pending" } }];
    },
  },
];
