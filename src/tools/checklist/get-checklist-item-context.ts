import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { AGENT_RULE, itemId, itemStatus, WholeItem } from "./item-schema.ts";
import { findItem, readChecklistState, toStatus, toWhole } from "./item-view.ts";
import { RecentPost, toRecentPost } from "./review-schema.ts";
import { BrandVoice, SocialConnection, toBrandVoice, toConnection } from "./voice-schema.ts";

const POSTS = 10;
const UNAVAILABLE = "unavailable" as const;

const orUnavailable = <S extends z.ZodType>(part: S) => z.union([part, z.literal(UNAVAILABLE)]);

export const getChecklistItemContext = agentOperation({
  name: "get_checklist_item_context",
  area: "checklist",
  title: "Get the context of a checklist item",
  description:
    "Gets what you need to work on one item: the whole item (task, done_when, why, sources), its status, the brand " +
    "voice, the profile facts, the social connections, and the " +
    `${POSTS} newest posts, so that you don't repeat one. Read it before you draft. A part that can't be read is ` +
    `"${UNAVAILABLE}". ${AGENT_RULE}`,
  access: { scope: "social_checklist.read" },
  http: { method: "GET", path: "/social/checklist/items/{id}/context", statuses: [200] },
  tool: {
    annotations: READ_ONLY,
    compact: [
      ...["automation", "automation_label", "executor", "frequency_label"].map((field) => `item.${field}`),
      ...["status_label", "assessment"].map((field) => `status.${field}`),
    ],
  },
  budget: "checklist_read",
  idempotent: false,
  effect: "read",
  errors: ["item_not_found"],
  input: z.strictObject({ id: itemId }),
  output: z.object({
    item: WholeItem,
    status: orUnavailable(z.object({ ...itemStatus, approval_card: orUnavailable(itemStatus.approval_card) })),
    brand_voice: orUnavailable(BrandVoice.nullable()),
    profile_facts: orUnavailable(z.array(z.string())),
    social_connections: orUnavailable(z.array(SocialConnection)),
    recent_posts: orUnavailable(z.array(RecentPost).max(POSTS)),
  }),
  async handler(ctx, { id }) {
    const item = findItem(ctx, id);
    const { voice, posts } = ctx.store;
    const data = {
      item: toWhole(item),
      status: await part(ctx, "status", async () => {
        const read = await readChecklistState(ctx);
        const status = toStatus(item, read);
        return read.approvalCards === "read" ? status : { ...status, approval_card: UNAVAILABLE };
      }),
      brand_voice: await part(ctx, "brand_voice", async () => toBrandVoice(await voice.brandVoice())),
      profile_facts: await part(ctx, "profile_facts", async () => (await voice.profileFacts())?.facts ?? []),
      social_connections: await part(ctx, "social_connections", async () =>
        (await voice.socialConnections()).map(toConnection),
      ),
      recent_posts: await part(ctx, "recent_posts", async () => (await posts.newest(POSTS)).map(toRecentPost)),
    };
    return { data };
  },
});

/** One part that fails never fails the rest. */
async function part<T>(ctx: Context, name: string, read: () => Promise<T>): Promise<T | typeof UNAVAILABLE> {
  try {
    return await read();
  } catch (error) {
    ctx.missed(name, error);
    return UNAVAILABLE;
  }
}
