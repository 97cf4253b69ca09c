import { REVIEW_KINDS, type ReviewKind } from "../../../../domain/review.ts";
import { counted } from "../../../figures.ts";
import { statusInWords } from "../../../names.ts";
import { loadQueue, pathOf } from "../../review/load.ts";
import type { Watch } from "../watch.ts";

const WAITS = statusInWords("pending");

const TO_DO: Record<ReviewKind, readonly [one: string, many: string]> = {
  action: ["action to approve", "actions to approve"],
  sequence: ["audience to apply", "audiences to apply"],
  card: ["document to decide", "documents to decide"],
  post: ["post to decide", "posts to decide"],
  publish: ["post to publish", "posts to publish"],
};

export const REVIEW_WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "list_review",
    async find(visit) {
      const { heads, counts } = await loadQueue(visit, 1);
      return REVIEW_KINDS.flatMap((kind) => {
        const first = heads.find((head) => head.kind === kind);
        if (first === undefined) return [];
        const say = counted(counts[kind], ...TO_DO[kind]);
        return [{ say, tone: "needs", word: WAITS, to: pathOf({ kind, id: first.id }) } as const];
      });
    },
  },
];
