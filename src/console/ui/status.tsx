/** @jsxRuntime automatic @jsxImportSource preact */

import type { CONNECTION_STATES } from "../../domain/checklist/channel.ts";
import type { CardStatus, PostStatus } from "../../domain/checklist/review.ts";
import type { AssessmentState, ChecklistStatus } from "../../domain/checklist/status.ts";
import type { DeliveryStatus } from "../../domain/events/delivery.ts";
import type { SendStatus } from "../../domain/outreach/sending.ts";
import type { EnrollmentStatus as EnrollmentState, SequenceStatus } from "../../domain/outreach/sequence.ts";
import type { SocialnetSession } from "../../domain/socialnet/account.ts";
import type { ActionStatus } from "../../domain/socialnet/action.ts";
import type { DataOf } from "../app/operations.ts";
import { Chip, type Tone } from "./basics.tsx";
import { type StatusOf, statusLabel } from "./labels.ts";

type AnyStatus =
  | ActionStatus
  | EnrollmentState
  | SendStatus
  | SequenceStatus
  | DataOf<"get_sequence">["approvals"][number]["status"]
  | CardStatus
  | PostStatus
  | DeliveryStatus
  | ChecklistStatus
  | AssessmentState
  | (typeof CONNECTION_STATES)[number]
  | SocialnetSession
  | DataOf<"list_socialnet_runs">[number]["status"]
  | NonNullable<DataOf<"get_socialnet_account">["held_reason"]>
  | "expired"
  | "revoked"
  | "suspended";

/** Amber needs attention, red has stopped, green is done. */
const TONES: Record<AnyStatus, Tone> = {
  pending: "needs",
  needs_review: "needs",
  planned: "needs",
  held: "needs",
  paused: "needs",
  written: "needs",
  partial: "needs",
  missing: "needs",
  rate_limited: "needs",
  unknown: "stopped",
  failed: "stopped",
  dead: "stopped",
  given_up: "stopped",
  blocked: "stopped",
  denied: "stopped",
  declined: "stopped",
  revoked: "stopped",
  expired: "stopped",
  suspended: "stopped",
  login_required: "stopped",
  captcha: "stopped",
  restricted: "stopped",
  completed: "done",
  sent: "done",
  delivered: "done",
  published: "done",
  applied: "done",
  done: "done",
  active: "done",
  ready: "done",
  connected: "done",
  ok: "done",
  approved: "plain",
  claimed: "plain",
  started: "plain",
  cancelled: "plain",
  voided: "plain",
  waiting_on_action: "plain",
  stopped_replied: "plain",
  stopped_suppressed: "plain",
  stopped_by_member: "plain",
  queued: "plain",
  sending: "plain",
  retry: "plain",
  dropped: "plain",
  draft: "plain",
  archived: "plain",
  disconnected: "plain",
  change_requested: "plain",
  changes_requested: "plain",
  in_progress: "plain",
  not_assessed: "plain",
  not_started: "plain",
  not_applicable: "plain",
};

/** Where the same status means something else. */
const TONES_OF: Partial<Record<StatusOf, Partial<Record<AnyStatus, Tone>>>> = {
  action: { needs_review: "stopped" },
  enrollment: { active: "plain" },
  delivery: { pending: "plain" },
  assessment: { unknown: "plain" },
};

export function toneOf(status: string, kind?: StatusOf): Tone {
  const known = status as AnyStatus;
  return (kind && TONES_OF[kind]?.[known]) ?? (Object.hasOwn(TONES, status) ? TONES[known] : "plain");
}

/** Whether the status has its own color. */
export const hasTone = (status: string): boolean => Object.hasOwn(TONES, status);

interface Props {
  of: string;
  kind?: StatusOf;
  /** A more specific label than the one of the status. */
  label?: string;
}

export function Status({ of, kind, label }: Props) {
  return <Chip tone={toneOf(of, kind)}>{label ?? statusLabel(of, kind)}</Chip>;
}

interface EnrollmentProps {
  status: string;
  held: boolean;
  /** Whether the contact has replied since they were enrolled. The sequence still counts as finished. */
  replied?: boolean;
}

/** The status of an enrollment. One on hold needs a person. */
export function EnrollmentStatus({ status, held, replied = false }: EnrollmentProps) {
  if (held) return <Status of="held" />;
  if (replied && status === "completed") return <Status of={status} kind="enrollment" label="Finished, replied" />;
  return <Status of={status} kind="enrollment" />;
}

/** Beside the name of a contact on the do-not-contact list. */
export function DoNotContact() {
  return <Chip tone="stopped">Do not contact</Chip>;
}

interface MeterProps {
  /** For screen readers; the text next to it says the same. */
  label: string;
  /** Shares of the whole, from 0 to 1, each in its color. */
  parts: readonly { share: number; tone: "done" | "needs" | "stopped" | "accent" }[];
}

/** A bar. Text next to it always says what it shows. */
export function Meter({ label, parts }: MeterProps) {
  let from = 0;
  const bars = parts.map(({ share, tone }) => {
    const x = from;
    from += Math.max(0, Math.min(share, 1 - from));
    return { x, width: from - x, tone };
  });
  return (
    <svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="ground" width="100" height="4" />
      {bars.map(({ x, width, tone }) => (
        <rect key={tone} class={tone} x={x * 100} width={width * 100} height="4" />
      ))}
    </svg>
  );
}
