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
  title: "List what waits for a person",
  description:
    "The review queue: actions to approve, approvals to apply, cards and posts to judge, approved posts to publish. Of one kind a page, of all kinds the first of each; the longest waiting first, and in meta how many there are.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    kind: z.enum(REVIEW_KINDS).optional().describe("Only this kind; without it, `limit` of each from the start."),
    ...pageFields,
  }),
  output: z.array(
    z.object({
      kind: z.enum(REVIEW_KINDS),
      id: z.guid(),
      title: z.string(),
      about: z.string().nullable().describe("An action's kind, a card's item, a post's channel, an audience's size."),
      proposed_by: z.string(),
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
    const data = found.flat().map(({ kind, id, title, about, proposedBy, since }) => ({
      kind,
      id,
      title,
      about,
      proposed_by: proposedBy,
      waits_since: iso(since),
    }));
    const total = kinds.reduce((sum, one) => sum + counts[one], 0);
    return { data, meta: { ...listMeta(page, data.length, total), counts } };
  },
});
