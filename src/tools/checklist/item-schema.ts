import { z } from "zod";
import { DUE_KINDS, DUE_REASONS, DUE_STATES } from "../../domain/checklist/due.ts";
import {
  AUTOMATIONS,
  EVIDENCE_VERDICTS,
  FREQUENCIES,
  ITEM_ID,
  ITEM_KINDS,
  OUTPUT_KINDS,
  PERSON_ACTIONS,
  RUNNERS,
} from "../../domain/checklist/item.ts";
import { CARD_STATUSES } from "../../domain/checklist/review.ts";
import {
  ASSESSMENT_STATES,
  type AssessmentState,
  CHECKLIST_STATUSES,
  MARK_SOURCES,
} from "../../domain/checklist/status.ts";

const time = z.iso.datetime();
const day = z.iso.date();

/** The names of a table, for z.enum. */
export const namesOf = <T extends object>(table: T) =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

/** The id of a catalog item. */
export const itemId = z
  .string()
  .regex(ITEM_ID, "must be an item id such as OT-01 or ON-01")
  .describe("The item's id. OT-01 is a one-time item, ON-01 a recurring one.");

/** Who recorded something, as the API shows it. */
export const recordedBy = z.object({
  key_id: z.string().nullable().describe("The agent's key. Null if it was recorded without a key."),
  name: z.string(),
});

const executor = z.object({
  evidence_verdict: z
    .enum(EVIDENCE_VERDICTS)
    .describe(
      "What shows that the item is done: something an agent saw, a submission, a server check, or a teammate's " +
        "confirmation.",
    ),
  person_action: z.enum(PERSON_ACTIONS).describe("What a person does: decides on submissions, acts, or nothing."),
  exceptions: z.array(z.string()).describe("When the item is optional or can be done differently."),
  priority: z.int().describe("Lower numbers come first."),
  dependencies: z.array(z.string()).describe("Items that must be done first, unless they are not applicable."),
  runner: z.enum(RUNNERS).describe("Who does the work."),
  test_first: z.boolean().describe("Experimental: not part of the default checklist, and never due."),
  replaced_by: z.string().nullable().describe("The item that replaces it. A replaced item accepts nothing."),
});

const approvalCard = z
  .object({
    id: z.guid(),
    status: z.enum(CARD_STATUSES),
    title: z.string(),
    summary: z.string().nullable(),
    note: z.string().nullable().describe("The change that was requested."),
    submitted_at: time,
    decided_at: time.nullable(),
  })
  .nullable()
  .describe("The item's card that needs review (pending), or whose change was requested (change_requested).");

const Due = z.object({
  kind: z.enum(DUE_KINDS).describe("event: due with every post, or as needed."),
  label: z.string(),
  due_on: day.nullable(),
  state: z.enum(DUE_STATES).nullable(),
});

const Assessment = z
  .object({
    state: z.enum(namesOf(ASSESSMENT_STATES)),
    state_label: z.string(),
    reason: z.string().describe("The evidence if done or missing. Otherwise why it is unknown or not applicable."),
    sources: z.array(
      z
        .object({ kind: z.string(), id: z.string().nullable(), label: z.string() })
        .describe("What the status is based on."),
    ),
  })
  .nullable()
  .describe("The status that a teammate set. Without one, the result of the latest assessment, or unknown.");

/** The catalog's entry of an item. */
const facts = {
  id: z.string().regex(ITEM_ID),
  kind: z.enum(ITEM_KINDS),
  frequency: z.enum(namesOf(FREQUENCIES)),
  frequency_label: z.string(),
  area: z.string(),
  task: z.string(),
  done_when: z.string().nullable(),
  applies_to: z.string(),
  platforms: z.string(),
  automation: z.enum(namesOf(AUTOMATIONS)),
  automation_label: z.string(),
};

/** The status of an item in this workspace. */
export const itemStatus = {
  status: z.enum(namesOf(CHECKLIST_STATUSES)).describe("The recorded status. not_assessed: nothing is recorded."),
  status_label: z.string(),
  evidence: z.string().nullable(),
  last_done_on: day.nullable(),
  status_source: z
    .enum(MARK_SOURCES)
    .nullable()
    .describe("Who recorded the status: a teammate, the server or an agent."),
  status_updated_at: time.nullable(),
  recorded_by: recordedBy.nullable().describe("Who recorded the status, by name."),
  due: Due,
  assessment: Assessment,
  approval_card: approvalCard,
};

/** Who may do what. */
const roles = {
  executor,
  agent: z.object({
    can_record_evidence: z.boolean().describe("Whether record_checklist_evidence accepts evidence for the item."),
    accepts_output_kinds: z.array(z.enum(OUTPUT_KINDS)).describe("What submit_checklist_output accepts for the item."),
  }),
};

export const ChecklistItem = z
  .object({ ...facts, ...itemStatus, ...roles })
  .meta({ id: "SocialChecklistItem", description: "A catalog item, with its status in this workspace." });

/** What a short list leaves out: labels, and what the item's context says. */
export const COMPACT = [
  ...["kind", "frequency", "frequency_label", "area", "done_when", "applies_to", "automation", "automation_label"],
  ...["status_label", "evidence", "last_done_on", "status_source", "status_updated_at", "recorded_by"],
  ...["due.kind", "due.label", "assessment", "executor"],
  ...["title", "summary", "note", "submitted_at", "decided_at"].map((field) => `approval_card.${field}`),
];

export const DueItem = z.object({
  ...ChecklistItem.shape,
  due_reason: z.enum(DUE_REASONS),
  change_request: z
    .object({ card_id: z.guid(), note: z.string().nullable(), requested_at: time })
    .nullable()
    .describe("The requested change. Submit a new version that follows the note."),
});

/** An item as its context shows it: in full. */
export const WholeItem = z.object({
  ...facts,
  why: z.string(),
  sources: z.array(z.object({ name: z.string(), url: z.string().nullable() })),
  ...roles,
});

export const ChecklistListMeta = z
  .object({
    total: z.int().describe("Exact count over all pages."),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean().describe("Whether more entries follow this page."),
    catalog_version: z.string(),
    today: day.describe("Today's date on the server, in UTC. Due dates count from it."),
    approval_cards: z
      .enum(["read", "unavailable"])
      .describe("unavailable: cards could not be read and are missing here."),
    agent_rule: z.string().describe("The approval rule for agents."),
  })
  .meta({ id: "SocialChecklistListMeta", description: "The position of this page in the list, and how to read it." });

export const doneOn = z.iso
  .date()
  .optional()
  .describe("Only with status done: the day it was done, in UTC, as YYYY-MM-DD. Default: today.");

/** What an assessment found, over all items. */
export const found = {
  catalog_version: z.string(),
  items: z.int(),
  states: z.record(z.enum(namesOf(ASSESSMENT_STATES)), z.int()).describe("The number of items with this result."),
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

/** The approval rule that an assistant works under. Responses and the tools' descriptions carry it. */
export const AGENT_RULE =
  "You propose, people decide. Submitting doesn't publish, send, schedule or approve anything. Claim only what the " +
  "profile facts say. Answer a change request first. While a card is pending, wait.";
