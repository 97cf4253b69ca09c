import type { Watch } from "./watch.ts";
import { AGENT_WATCHES } from "./watches/agents.ts";
import { EVENT_WATCHES } from "./watches/events.ts";
import { REVIEW_WATCHES } from "./watches/review.ts";
import { SEQUENCE_WATCHES } from "./watches/sequences.ts";
import { WORKSPACE_WATCHES } from "./watches/workspace.ts";

/** All that the front page looks after, by area of the product. */
export const WATCHES: readonly Watch[] = [
  ...WORKSPACE_WATCHES,
  ...REVIEW_WATCHES,
  ...AGENT_WATCHES,
  ...SEQUENCE_WATCHES,
  ...EVENT_WATCHES,
];
