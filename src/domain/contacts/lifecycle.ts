import { type Problem, type ProblemCode, problem } from "../../core/problem.ts";

/** The ladder, lowest first. A contact climbs and descends one step at a time. */
export const LIFECYCLE = ["prospect", "lead", "opportunity", "customer"] as const;
export type Lifecycle = (typeof LIFECYCLE)[number];

/** What the people of a workspace have confirmed about one contact. */
export interface Confirmations {
  meeting: boolean;
  bant: boolean;
  wonDeal: boolean;
}

/** What each stage asks of a contact that arrives at it, from either side. */
const GATES: Record<Lifecycle, (confirmed: Confirmations) => Problem | undefined> = {
  prospect: () => undefined,
  lead: ({ meeting }) =>
    meeting
      ? undefined
      : problem("meeting_required", "lifecycle: lead needs a meeting with this contact that a member has confirmed."),
  opportunity: ({ bant }) =>
    bant
      ? undefined
      : problem("bant_required", "lifecycle: opportunity needs a BANT assessment that a member has confirmed."),
  customer: ({ wonDeal }) =>
    wonDeal ? undefined : problem("won_deal_required", "lifecycle: customer needs a deal at closed_won."),
};

/** Why a contact cannot move from one stage to another, or undefined where it can. The same stage is no move. */
export function refuseMove(from: Lifecycle, to: Lifecycle, confirmed: Confirmations): Problem | undefined {
  if (from === to) return undefined;
  if (Math.abs(LIFECYCLE.indexOf(from) - LIFECYCLE.indexOf(to)) !== 1) {
    return problem(
      "stage_not_adjacent",
      `lifecycle: cannot go from ${from} to ${to}; a lifecycle moves one step at a time.`,
    );
  }
  return GATES[to](confirmed);
}

/** The stage above, with the codes of what people have yet to confirm for it; null at the top of the ladder. */
export function nextStage(
  stage: Lifecycle,
  confirmed: Confirmations,
): { stage: Lifecycle; needs: ProblemCode[] } | null {
  const next = LIFECYCLE[LIFECYCLE.indexOf(stage) + 1];
  if (next === undefined) return null;
  const refusal = refuseMove(stage, next, confirmed);
  return { stage: next, needs: refusal === undefined ? [] : [refusal.code] };
}

/** What is asked before an opportunity is believed in: budget, authority, need, timeline. */
export const BANT = ["budget", "authority", "need", "timeline"] as const;

interface BantAnswer {
  confirmed: boolean;
  note?: string | undefined;
}

export type BantAnswers = Record<(typeof BANT)[number], BantAnswer>;
