import { DAY_MS } from "../../lib/time.ts";
import { calendarAt, openingAt, type Window } from "../time/calendar.ts";
import { messageFault } from "./sending.ts";
import { firstDueAt, type Step } from "./sequence.ts";
import { type Fillings, fillTemplate } from "./template.ts";

/** A contact of the simulation. */
export interface SimulatedContact {
  id: string;
  name: string;
  hasEmail: boolean;
  hasProfile: boolean;
  suppressed: boolean;
  /** A request to connect is skipped. */
  connected: boolean;
  fillings: Fillings;
}

/** What would happen, and when. */
export interface SimulatedEvent {
  at: number;
  contactId: string;
  contactName: string;
  /** Index of the step, from 0. */
  step: number;
  type: ActingStep["type"] | "held" | "completed";
  /** The subject of an email, the copy of an action, or why the contact is on hold. */
  what: string;
}

export interface SimulatedPolicy {
  timeZone: string;
  windows: readonly Window[];
  dailyCap: number | null;
}

interface SimulatedEnrollment {
  contact: SimulatedContact;
  /** The position among the contacts: of those that are due together, the first is served first. */
  order: number;
  step: number;
  dueAt: number;
}

/**
 * Simulates a sequence on its own clock: what would be sent when, by the sending hours and daily limit of the
 * workspace, if no one replies and every action is done on its planned day. Nothing is sent.
 */
export function simulate(
  steps: readonly Step[],
  contacts: readonly SimulatedContact[],
  policy: SimulatedPolicy,
  { from, days }: { from: number; days: number },
): SimulatedEvent[] {
  const end = from + days * DAY_MS;
  const events: SimulatedEvent[] = [];
  const clock = clockOf(policy);
  const mails = new Map<number, number>();
  let enrollments: SimulatedEnrollment[] = contacts.map((contact, order) => ({
    contact,
    order,
    step: 0,
    dueAt: firstDueAt(steps, from),
  }));
  for (let now = nextDue(enrollments); now < end; now = nextDue(enrollments)) {
    // A round executes everything that is due, as the engine does; what becomes due during it is in the next one.
    const [due, later] = [
      enrollments.filter(({ dueAt }) => dueAt <= now),
      enrollments.filter(({ dueAt }) => dueAt > now),
    ];
    enrollments = later;
    for (const enrollment of due.sort((a, b) => a.order - b.order)) {
      const dueAt = deferral(steps[enrollment.step], now, policy.dailyCap, clock, mails);
      if (dueAt > now) {
        enrollments.push({ ...enrollment, dueAt });
        continue;
      }
      const event = eventAt(steps, enrollment);
      if (event.type !== "skipped") events.push({ ...event, type: event.type });
      if (event.type === "email") {
        const day = clock(now).dayStart;
        mails.set(day, (mails.get(day) ?? 0) + 1);
      }
      if (event.type === "held" || event.type === "completed") continue;
      enrollments.push({
        ...enrollment,
        step: enrollment.step + 1,
        dueAt: firstDueAt(steps.slice(enrollment.step + 1), now),
      });
    }
  }
  return events;
}

function nextDue(enrollments: readonly SimulatedEnrollment[]): number {
  return enrollments.reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), Number.POSITIVE_INFINITY);
}

interface Moment {
  dayStart: number;
  /** While closed: when it opens. */
  opensAt: number | null;
  opensTomorrow: number;
}

/** The local time of the workspace at a moment. Cached, because most contacts share the same ones. */
function clockOf({ timeZone, windows }: SimulatedPolicy): (at: number) => Moment {
  const known = new Map<number, Moment>();
  return (at) => {
    let moment = known.get(at);
    if (moment === undefined) {
      const { dayStart, nextDay } = calendarAt(at, timeZone);
      const { open, opensAt } = openingAt(windows, timeZone, at);
      const opensTomorrow = openingAt(windows, timeZone, nextDay).opensAt ?? nextDay;
      moment = { dayStart, opensAt: open ? null : (opensAt ?? nextDay), opensTomorrow };
      known.set(at, moment);
    }
    return moment;
  };
}

/** The earliest time for an email, from a moment on. Other steps follow the account's own windows. */
function deferral(
  step: Step | undefined,
  at: number,
  dailyCap: number | null,
  clock: (at: number) => Moment,
  mails: ReadonlyMap<number, number>,
): number {
  if (step?.type !== "email") return at;
  const { dayStart, opensAt, opensTomorrow } = clock(at);
  if (opensAt !== null) return opensAt;
  return dailyCap === null || (mails.get(dayStart) ?? 0) < dailyCap ? at : opensTomorrow;
}

const SUPPRESSED = "On the do-not-contact list";

/** Whether an event stands for a contact who can't be enrolled, so that enrolling skips them. */
export const isSkipped = ({ type, what }: { type: string; what: string }): boolean =>
  type === "held" && what === SUPPRESSED;

/** Steps without an effect are not listed: a wait that is over, and a request to a contact who is connected. */
function eventAt(
  steps: readonly Step[],
  { contact, step: index, dueAt }: SimulatedEnrollment,
): Omit<SimulatedEvent, "type"> & { type: SimulatedEvent["type"] | "skipped" } {
  const about = { at: dueAt, contactId: contact.id, contactName: contact.name, step: index };
  const step = steps[index];
  if (contact.suppressed) return { ...about, type: "held", what: SUPPRESSED };
  if (step === undefined) return { ...about, type: "completed", what: "" };
  if (step.type === "wait" || (step.type === "socialnet_connect" && contact.connected)) {
    return { ...about, type: "skipped", what: "" };
  }
  const held = whyHeld(step, contact);
  if (held !== undefined) return { ...about, type: "held", what: held };
  return { ...about, type: step.type, what: wordsOf(step, contact.fillings) };
}

type ActingStep = Exclude<Step, { type: "wait" }>;

function whyHeld(step: ActingStep, { hasEmail, hasProfile, fillings }: SimulatedContact): string | undefined {
  if (step.type === "email" && !hasEmail) return "No email address";
  if (step.type !== "email" && !hasProfile) return "No profile URL";
  const templates =
    step.type === "email" ? [step.subject, step.body] : [step.type === "socialnet_connect" ? step.note : step.body];
  const filled = templates.map((text) => fillTemplate(text, fillings));
  const unfilled = filled.flatMap((one) => ("unfilled" in one ? one.unfilled : []));
  if (unfilled.length > 0) return `No value for ${[...new Set(unfilled)].map((name) => `{{${name}}}`).join(", ")}`;
  const [subject = "", body = ""] = filled.map((one) => ("text" in one ? one.text : ""));
  const names = [fillings.sender_name ?? ""];
  return step.type === "email" ? messageFault({ subject, body, names }) : undefined;
}

function wordsOf(step: ActingStep, fillings: Fillings): string {
  const template = step.type === "email" ? step.subject : step.type === "socialnet_connect" ? step.note : step.body;
  const filled = fillTemplate(template, fillings);
  return "text" in filled ? filled.text : "";
}
