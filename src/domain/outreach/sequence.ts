import { DAY_MS } from "../../lib/time.ts";
import { type Contact, emailKey, profileKey } from "../contacts/contact.ts";

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

const CONTACT_PLACEHOLDERS = ["first_name", "last_name", "company", "job_title"] as const;
type ContactPlaceholder = (typeof CONTACT_PLACEHOLDERS)[number];

/** What copy can be filled with: fields of the contact, and the name that the workspace sends under. */
export const PLACEHOLDERS = [...CONTACT_PLACEHOLDERS, "sender_name"] as const;

/** A recipient of copy, with the fields that fill it. */
export type Recipient = Pick<Contact, "id" | "email" | "socialnet_url" | ContactPlaceholder>;

const BRACED = /\{\{([^{}]*)\}\}/g;

function namesIn(text: string): string[] {
  return [...text.matchAll(BRACED)].map(([, inner]) => (inner as string).trim());
}

/** Why a text cannot be a template, worded to follow its field's name; undefined where it can. */
export function templateFault(text: string): string | undefined {
  const known: readonly string[] = PLACEHOLDERS;
  const stranger = namesIn(text).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const use = PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ");
    return `{{${stranger.slice(0, 40)}}} is not a placeholder; use ${use}`;
  }
  // A space instead of each placeholder: single braces around one must not close up to a pair.
  if (text.replace(BRACED, " ").includes("{{"))
    return "has a {{ that begins no placeholder; close it with }}, or remove it";
  return undefined;
}

/** What a template is filled with; null where there is nothing. */
export type Fillings = { readonly [Name in (typeof PLACEHOLDERS)[number]]: string | null };

/** Addresses with a scheme, with `www.`, or with a path: what an email program would turn into a link. */
const LINK = /\S*(?:\/\/|mailto:|www\.)\S*|(?:[\p{L}\d-]+\.)+\p{L}{2,}[/?#:]\S*/giu;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A value as a message may contain it: one line, no links, no marks that change the text direction. */
function plainValue(value: string): string {
  return value.replace(BREAKS, " ").replace(DIRECTION, "").replace(LINK, "").replace(/ {2,}/g, " ").trim();
}

/**
 * A template with its placeholders filled. Values come from outside, so they are inserted as plain text and never read
 * as templates themselves.
 *
 * @returns the names of the placeholders without a value, if there are any: a person must complete them
 */
export function fillTemplate(template: string, fillings: Fillings): { text: string } | { unfilled: string[] } {
  const unfilled = new Set<string>();
  const text = template.replace(BRACED, (_, inner: string) => {
    const name = inner.trim();
    const value = plainValue(fillings[name as keyof Fillings] ?? "");
    if (value === "") unfilled.add(name);
    return value;
  });
  return unfilled.size > 0 ? { unfilled: [...unfilled] } : { text };
}

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

function daysBefore(step: Step): number {
  return step.type === "wait" ? step.days : step.delay_days;
}

/** The placeholders that the copy of these steps holds, in a fixed order. */
export function placeholdersIn(steps: readonly Step[]): (typeof PLACEHOLDERS)[number][] {
  const used = new Set(steps.flatMap(textsOf).flatMap(namesIn));
  return PLACEHOLDERS.filter((name) => used.has(name));
}

/** The fields of a contact that the copy of these steps is filled from, in a fixed order. */
export function renderedFields(steps: readonly Step[]): ContactPlaceholder[] {
  const used: readonly string[] = placeholdersIn(steps);
  return CONTACT_PLACEHOLDERS.filter((name) => used.includes(name));
}

/** The steps as one text, identical for identical steps whatever the order of their fields. What an approval pins. */
export function stepsText(steps: readonly Step[]): string {
  return JSON.stringify(steps.map((step) => [step.type, ...textsOf(step), daysBefore(step)]));
}

/**
 * What these steps take from a contact, as one text: both addresses in the form used for comparison, and the rendered
 * fields.
 */
export function copyText(recipient: Recipient, steps: readonly Step[]): string {
  const { email, socialnet_url: profile } = recipient;
  return JSON.stringify([
    email && emailKey(email),
    profile && (profileKey(profile) ?? profile),
    ...renderedFields(steps).map((field) => [field, recipient[field]]),
  ]);
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
