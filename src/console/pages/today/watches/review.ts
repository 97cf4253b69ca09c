import { REVIEW_KINDS } from "../../../../domain/review.ts";
import { counted } from "../../../figures.ts";
import { KIND_NAMES, loadQueue } from "../../review/load.ts";
import type { Watch } from "../watch.ts";

export const REVIEW_WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "list_review",
    async find(visit) {
      const { heads, counts } = await loadQueue(visit, 1);
      return REVIEW_KINDS.flatMap((kind) => {
        const first = heads.find((head) => head.kind === kind);
        if (first === undefined) return [];
        const say = `${KIND_NAMES[kind][1]}: ${counted(counts[kind], "waits", "wait")}.`;
        return [{ say, tone: "needs", word: "to decide", to: `/review/${kind}/${first.id}` } as const];
      });
    },
  },
];
