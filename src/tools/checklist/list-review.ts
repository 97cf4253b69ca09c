import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { REVIEW_KINDS, type ReviewKind } from "../../domain/checklist/review.ts";
import { iso } from "../../lib/time.ts";
import { time } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

const counts = z.object(
  Object.fromEntries(REVIEW_KINDS.map((kind) => [kind, z.int()])) as Record<(typeof REVIEW_KINDS)[number], z.ZodInt>,
);

export const listReview = personOperation({
  name: "list_review",
  area: "review",
  title: "List the review queue",
  description:
    "Lists the review queue: answers and actions to approve, audiences to activate, documents and posts to review, and approved " +
    "posts to publish, oldest first. With a kind, it returns a page of that kind. Without one, it returns the first " +
    "entries of each kind. meta has the totals.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    kind: z
      .enum(REVIEW_KINDS)
      .optional()
      .describe("Only this kind. Without it, the first `limit` entries of each kind."),
    ...pageFields,
  }),
  output: z.array(
    z.object({
      kind: z.enum(REVIEW_KINDS),
      id: z.guid(),
      title: z.string(),
      about: z
        .string()
        .nullable()
        .describe("An answer's recipient, an action's kind, a card's item, a post's channel, or an audience's size."),
      text: z.string().nullable().describe("The beginning of the entry's text. Null for an audience."),
      proposed_by: z.string(),
      by_agent: z.boolean().describe("Whether an agent proposed it, with an API key."),
      waits_since: time,
    }),
  ),
  meta: ListMeta.extend({ counts }),
  async handler({ store: { reviewQueue } }, { kind, limit, offset }) {
    const counts = await reviewQueue.counts();
    const kinds: readonly ReviewKind[] = kind === undefined ? REVIEW_KINDS : [kind];
    const page = { limit, offset: kind === undefined ? 0 : offset };
    const found = await Promise.all(
      kinds
        .filter((one) => counts[one] > 0)
        .map(async (one) => (await reviewQueue.waiting(one, page)).map((row) => ({ kind: one, ...row }))),
    );
    const data = found.flat().map(({ kind, id, title, about, text, proposedBy, byAgent, since }) => ({
      kind,
      id,
      title,
      about,
      text,
      proposed_by: proposedBy,
      by_agent: byAgent,
      waits_since: iso(since),
    }));
    const total = kinds.reduce((sum, one) => sum + counts[one], 0);
    return { data, meta: { ...listMeta(page, data.length, total), counts } };
  },
});
