export const SEQUENCE_STATUSES = ["draft", "active", "paused", "archived"] as const;
export type SequenceStatus = (typeof SEQUENCE_STATUSES)[number];

/** The statuses of an enrollment that is not over. */
export const OPEN_ENROLLMENT = ["active", "waiting_on_action"] as const;

export const ENROLLMENT_STATUSES = [
  ...OPEN_ENROLLMENT,
  "completed",
  "stopped_replied",
  "stopped_suppressed",
  "stopped_by_member",
  "failed",
] as const;
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number];

/** One step of a sequence. Delays and waits are whole days. */
export type Step =
  | { type: "email"; subject: string; body: string; delay_days: number }
  | { type: "socialnet_connect"; note: string; delay_days: number }
  | { type: "socialnet_message"; body: string; delay_days: number }
  | { type: "wait"; days: number };
