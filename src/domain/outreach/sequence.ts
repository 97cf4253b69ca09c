import { DAY_MS } from "../../lib/time.ts";
import { emailPin, profilePin } from "../contacts/address.ts";
import {
  CONTACT_PLACEHOLDERS,
  type ContactPlaceholder,
  namesIn,
  PLACEHOLDERS,
  type Recipient,
  renderedValue,
} from "./template.ts";

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

function textsOf(step: Step): string[] {
  switch (step.type) {
    case "email":
      return [step.subject, step.body];
    case "socialnet_connect":
      return [step.note];
    case "socialnet_message":
      return [step.body];
    case "wait":
      return [];
  }
}

/** A step that an account on the professional network executes. */
export type NetworkStep = Extract<Step, { type: `socialnet_${string}` }>;

export function isNetworkStep(step: Step | undefined): step is NetworkStep {
  return step?.type === "socialnet_connect" || step?.type === "socialnet_message";
}

/** What the account sends, before it is filled. */
export function networkTextOf(step: NetworkStep): string {
  return step.type === "socialnet_connect" ? step.note : step.body;
}

function daysBefore(step: Step): number {
  return step.type === "wait" ? step.days : step.delay_days;
}

/** The placeholders that the copy of these steps holds, in a fixed order. */
export function placeholdersIn(steps: readonly Step[]): (typeof PLACEHOLDERS)[number][] {
  const used = new Set(steps.flatMap(textsOf).flatMap(namesIn));
  return PLACEHOLDERS.filter((name) => used.has(name));
}

const renderedBySteps = new WeakMap<readonly Step[], readonly ContactPlaceholder[]>();

/**
 * The fields of a contact that the copy of these steps is filled from, in a fixed order. It is asked for each contact of
 * an audience, and found once.
 */
export function renderedFields(steps: readonly Step[]): readonly ContactPlaceholder[] {
  const known = renderedBySteps.get(steps);
  if (known !== undefined) return known;
  const used: readonly string[] = placeholdersIn(steps);
  const fields = CONTACT_PLACEHOLDERS.filter((name) => used.includes(name));
  renderedBySteps.set(steps, fields);
  return fields;
}

/** Who a sequence is sent as: an approval pins it beside the steps. */
export interface SequenceSender {
  /** The account of its socialnet steps and its profile; null without such steps, or where none is known. */
  account: { id: string; profileUrl: string } | null;
  /** The workspace's name for its sender. */
  senderName: string | null;
  /** The sender of the mail server, as one text. */
  mailFrom: string | null;
}

/** What an approval pins of a sequence, as one text: the steps, and who they are sent as. */
export function sequenceText(steps: readonly Step[], { account, senderName, mailFrom }: SequenceSender): string {
  const sender = account && [account.id, profilePin(account.profileUrl)];
  return JSON.stringify([stepsText(steps), sender, senderName, mailFrom]);
}

/** Whether an account on the professional network acts in any of these steps. */
export function usesAccount(steps: readonly Step[]): boolean {
  return steps.some(isNetworkStep);
}

/** The steps as one text, identical for identical steps whatever the order of their fields. What an approval pins. */
export function stepsText(steps: readonly Step[]): string {
  return JSON.stringify(steps.map((step) => [step.type, ...textsOf(step), daysBefore(step)]));
}

/**
 * What these steps take from a contact, as one text: both addresses, so that no other mailbox or profile has the same,
 * and the rendered fields.
 */
export function copyText(recipient: Recipient, steps: readonly Step[]): string {
  const { email, socialnet_url: profile } = recipient;
  return JSON.stringify([
    email && emailPin(email),
    profile && profilePin(profile),
    ...renderedFields(steps).map((field) => [field, recipient[field] && renderedValue(recipient, field)]),
  ]);
}

/** The name before the address of an email: of the fields that its steps render, so that an approval pins it. */
export function addresseeOf(recipient: Recipient, steps: readonly Step[]): string {
  const fields = renderedFields(steps).filter((field) => field === "first_name" || field === "last_name");
  return fields
    .map((field) => renderedValue(recipient, field))
    .filter((name) => name !== "")
    .join(" ");
}

/** When the first step is due for a contact that enrolls at this moment. */
export function firstDueAt([first]: readonly Step[], enrolledAt: number): number {
  return enrolledAt + (first === undefined ? 0 : daysBefore(first)) * DAY_MS;
}

/** What an edit does to a step that a contact has reached. Indexes count from 0. */
export type StepChange =
  | { kind: "removed" }
  | { kind: "retyped" }
  | { kind: "moved"; to: number }
  | { kind: "replaced"; from: number };

/**
 * Finds the first reached step that an edit moves. An enrollment records the index of its step, so a contact who has
 * reached a step would get a message twice, or never, if the steps up to there moved. Their texts and days may change.
 *
 * @param reached the furthest step that an open enrollment is at
 */
export function findMovedStep(
  before: readonly Step[],
  after: readonly Step[],
  reached: number,
): { index: number; change: StepChange } | undefined {
  const [was, is] = [before, after].map((steps) => steps.map((step) => stepsText([step]))) as [string[], string[]];
  const changed = (index: number) => was[index] !== is[index];
  for (let index = 0; index <= Math.min(reached, before.length - 1); index += 1) {
    if (!changed(index)) continue;
    const step = after[index];
    if (step === undefined) return { index, change: { kind: "removed" } };
    if (step.type !== before[index]?.type) return { index, change: { kind: "retyped" } };
    // A wait has no text: two that swap positions are two that changed their days.
    if (step.type === "wait") continue;
    const elsewhere = (texts: string[], text: string | undefined) =>
      texts.findIndex((other, at) => at !== index && other === text && changed(at));
    const to = elsewhere(is, was[index]);
    if (to >= 0) return { index, change: { kind: "moved", to } };
    const from = elsewhere(was, is[index]);
    if (from >= 0) return { index, change: { kind: "replaced", from } };
  }
  return undefined;
}
