/** The stages, lowest first. A contact moves up or down one stage at a time. */
export const LIFECYCLE = ["prospect", "lead", "opportunity", "customer"] as const;
export type Lifecycle = (typeof LIFECYCLE)[number];

/** What the people of a workspace have confirmed about one contact. */
export interface Confirmations {
  meeting: boolean;
  bant: boolean;
  wonDeal: boolean;
}

/** Why a contact cannot move to another stage. */
export type MoveRefusal = "stage_not_adjacent" | "meeting_required" | "bant_required" | "won_deal_required";

/** What each stage requires of a contact that arrives at it, from either side. */
const REQUIREMENTS: Record<Lifecycle, (confirmed: Confirmations) => MoveRefusal | undefined> = {
  prospect: () => undefined,
  lead: ({ meeting }) => (meeting ? undefined : "meeting_required"),
  opportunity: ({ bant }) => (bant ? undefined : "bant_required"),
  customer: ({ wonDeal }) => (wonDeal ? undefined : "won_deal_required"),
};

/** Why a contact cannot move from one stage to another; undefined where it can. The same stage is no move. */
export function refuseMove(from: Lifecycle, to: Lifecycle, confirmed: Confirmations): MoveRefusal | undefined {
  if (from === to) return undefined;
  if (Math.abs(LIFECYCLE.indexOf(from) - LIFECYCLE.indexOf(to)) !== 1) return "stage_not_adjacent";
  return REQUIREMENTS[to](confirmed);
}

/** The next stage, with what people have yet to confirm for it; null at the highest stage. */
export function nextStage(
  stage: Lifecycle,
  confirmed: Confirmations,
): { stage: Lifecycle; needs: MoveRefusal[] } | null {
  const next = LIFECYCLE[LIFECYCLE.indexOf(stage) + 1];
  if (next === undefined) return null;
  const refusal = refuseMove(stage, next, confirmed);
  return { stage: next, needs: refusal === undefined ? [] : [refusal] };
}

/** The questions before a contact becomes an opportunity: budget, authority, need, timeline. */
export const BANT = ["budget", "authority", "need", "timeline"] as const;

interface BantAnswer {
  confirmed: boolean;
  note?: string | undefined;
}

export type BantAnswers = Record<(typeof BANT)[number], BantAnswer>;
