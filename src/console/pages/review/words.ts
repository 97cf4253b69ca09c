import { openingOf } from "../../../domain/opening.ts";
import type { ReviewKind } from "../../../domain/review.ts";
import { inWords, statusInWords } from "../../names.ts";
import { seen } from "./diff.tsx";
import type { Whole } from "./load.ts";

/** What a thing is called, wherever it stands alone. */
export function headingOf({ action, card, post, sequence }: Whole): string {
  if (action !== null) return `${inWords(action.kind)} to ${seen(action.contact_name ?? "no name")}`;
  if (sequence !== null) return sequence.name;
  return seen(card?.title ?? post?.title ?? openingOf(post?.body ?? "")) || "No name";
}

export function statusOf({ action, card, post, approval }: Whole): string {
  return action?.status ?? card?.status ?? post?.status ?? approval?.status ?? "";
}

/** What something became by a decision, of each kind where that has a word of its own. */
const BECAME: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: { planned: "released", held: "held back", cancelled: "denied, and cancelled" },
  sequence: { applied: "put into force", voided: "denied, and withdrawn" },
  publish: { published: "recorded as published" },
};

export function becameInWords(kind: ReviewKind, status: string): string {
  return BECAME[kind]?.[status] ?? statusInWords(status).toLowerCase();
}

/** What that leads to, for whoever has just decided. */
const THEN: Partial<Record<ReviewKind, Record<string, string>>> = {
  action: {
    approved: ": its account's agent may do it, once",
    planned: ", and waits here again",
    held: ": no agent gets it until somebody releases it",
  },
  sequence: { applied: ": its contacts can be enrolled" },
  card: { approved: ", and its item is recorded as done", change_requested: " with your note" },
  post: { approved: ", and waits here to be published", changes_requested: " with your note" },
  publish: { published: ", and its item is done" },
};

export function thenInWords(kind: ReviewKind, status: string): string {
  return THEN[kind]?.[status] ?? "";
}
