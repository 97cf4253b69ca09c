/** The statuses of an item in a workspace. */
export const CHECKLIST_STATUSES = {
  not_assessed: "Not assessed",
  not_started: "Not started",
  in_progress: "In progress",
  done: "Done",
  blocked: "Blocked",
  not_applicable: "Not applicable",
} as const;
export type ChecklistStatus = keyof typeof CHECKLIST_STATUSES;

/** What can be recorded; `not_assessed` means that nothing is. */
export type MarkedStatus = Exclude<ChecklistStatus, "not_assessed">;

/** Who recorded it: a person, the service by its own check, or an assistant's key. */
export const MARK_SOURCES = ["member", "system", "agent"] as const;
export type MarkSource = (typeof MARK_SOURCES)[number];

/** What is recorded of an item. */
export interface Mark {
  status: MarkedStatus;
  evidence: string | null;
  source: MarkSource;
  /** The member or the key; null where the service or the server operator recorded it. */
  byId: string | null;
  byName: string;
}

/** The statuses with their labels. */
export const ASSESSMENT_STATES = {
  done: "Done",
  missing: "Missing",
  unknown: "Unknown",
  not_applicable: "Not applicable",
} as const;
export type AssessmentState = keyof typeof ASSESSMENT_STATES;

/** What an assessment is based on: a record of Rostrum, or a person's statement. */
export interface AssessmentSource {
  kind: string;
  id: string | null;
  label: string;
}

export interface Assessment {
  state: AssessmentState;
  /** The evidence of what is done or missing; why the rest is unknown or not applicable. */
  reason: string;
  sources: AssessmentSource[];
}

const BY_STATUS: Record<MarkedStatus, AssessmentState> = {
  not_started: "missing",
  in_progress: "missing",
  done: "done",
  blocked: "missing",
  not_applicable: "not_applicable",
};

const NEVER_ASSESSED: Assessment = {
  state: "unknown",
  reason: "Not checked yet. Rostrum checks the checklist every week.",
  sources: [],
};

export function statusOf(mark: Pick<Mark, "status"> | undefined): ChecklistStatus {
  return mark?.status ?? "not_assessed";
}

/** A person's mark wins, then the latest assessment; without either the status is unknown. */
export function assessmentOf(mark: Mark | undefined, baseline: Assessment | undefined): Assessment {
  if (mark?.source !== "member") return baseline ?? NEVER_ASSESSED;
  return {
    state: BY_STATUS[mark.status],
    reason: mark.evidence ?? `${mark.byName} recorded it as ${CHECKLIST_STATUSES[mark.status].toLowerCase()}.`,
    sources: [{ kind: "member", id: mark.byId, label: mark.byName }],
  };
}
