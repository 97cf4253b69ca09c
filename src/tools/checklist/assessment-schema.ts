import { z } from "zod";
import { ASSESSMENT_STATES, type AssessmentState } from "../../domain/checklist/status.ts";
import { namesOf } from "./item-schema.ts";

/** What an assessment found, over all items. */
export const found = {
  catalog_version: z.string(),
  items: z.int(),
  states: z.record(z.enum(namesOf(ASSESSMENT_STATES)), z.int()).describe("How many items were found so."),
};

export function countStates(rows: readonly { state: AssessmentState }[]): Record<AssessmentState, number> {
  const count = (wanted: AssessmentState) => rows.filter(({ state }) => state === wanted).length;
  return {
    done: count("done"),
    missing: count("missing"),
    unknown: count("unknown"),
    not_applicable: count("not_applicable"),
  };
}
