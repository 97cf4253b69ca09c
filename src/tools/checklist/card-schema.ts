import { z } from "zod";
import { CARD_STATUSES } from "../../domain/review.ts";
import type { CardRow } from "../../store/review.ts";
import { hidden, reveal } from "../hidden.ts";
import { submitted, toSubmitted } from "./review-schema.ts";

/** A card as people decide on it. */
export const Card = z.object({
  ...submitted,
  status: z.enum(CARD_STATUSES),
  title: z.string(),
  summary: z.string().nullable(),
  hidden,
});

export function toCard(row: CardRow): z.infer<typeof Card> {
  const { status, title, summary, body } = row;
  return { ...toSubmitted(row), status, title, summary, hidden: reveal({ title, summary, body }) };
}
