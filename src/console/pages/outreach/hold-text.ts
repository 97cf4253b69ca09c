import type { HoldCause, HoldReason } from "../../../domain/outreach/sending.ts";
import { PLACEHOLDERS } from "../../../domain/outreach/template.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { shortDay } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";

export type Cause = NonNullable<DataOf<"list_enrollments">[number]["hold_cause"]>;

/** Why an enrollment is on hold. The cause is known where no approval authorizes it. */
export interface Hold {
  reason: HoldReason;
  detail: string | null;
  cause: Cause | null;
}

type Reader = Pick<PageContext, "may" | "now">;

/** The one way out of each cause. Approving again is no way on after an opt-out or a refusal. */
const WAYS: Record<HoldCause, "approve" | "remove" | "release"> = {
  details_changed: "approve",
  replied: "approve",
  not_interested: "remove",
  opted_out: "remove",
  earlier_enrollment: "approve",
  replaced: "approve",
  steps_changed: "approve",
  sender_changed: "approve",
  not_approved: "approve",
  approved: "release",
};

/** The way out of a hold without such a cause is a release. */
export const wayOutOf = (cause: Cause | null) => (cause === null ? "release" : WAYS[cause.cause]);

/** Why one contact is on hold, and the way out. */
export function holdText({ reason, detail, cause }: Hold, reader: Reader): string {
  if (cause !== null) return `${whatHappened(cause, reader.now)} ${wayOf(cause.cause, ONE, reader)}`;
  return problemText(reason, detail, ONE, reader);
}

/** The same for several contacts, after a sentence that says how many. Only where they share it. */
export function sharedHoldText(holds: readonly Hold[], reader: Reader): string | undefined {
  const [first] = holds;
  if (first === undefined) return undefined;
  const { reason, detail, cause } = first;
  if (holds.some((hold) => hold.reason !== reason || hold.cause?.cause !== cause?.cause)) return undefined;
  if (cause !== null) return `${HAPPENED_TO_MANY[cause.cause]} ${wayOf(cause.cause, MANY, reader)}`;
  const isSame = holds.every((hold) => hold.detail === detail);
  return problemText(reason, isSame ? detail : null, MANY, reader);
}

interface Words {
  /** Begins a sentence. */
  they: string;
  have: string;
  /** Names them again. */
  them: string;
  one: boolean;
}
const ONE: Words = { they: "This contact", have: "has", them: "this contact", one: true };
const MANY: Words = { they: "They", have: "have", them: "these contacts", one: false };

function wayOf(cause: HoldCause, { them }: Words, { may }: Reader): string {
  switch (WAYS[cause]) {
    case "remove":
      return `Remove ${them} from the sequence.`;
    case "release":
      return `Release ${them} to continue.`;
    case "approve":
      return may("approve_sequence")
        ? `To continue, approve ${them} again.`
        : `To continue, a teammate who can approve outbound messages must approve ${them} again.`;
  }
}

function whatHappened({ cause, fields, at }: Cause, now: number): string {
  const on = at === null ? "" : ` on ${shortDay(at, now)}`;
  const afterApproval = at === null ? " after the approval" : `${on}, after the approval`;
  switch (cause) {
    case "details_changed":
      return `${fields.length === 0 ? "This contact's details" : listOfFields(fields)} changed${afterApproval}.`;
    case "replied":
      return `This contact replied${afterApproval}.`;
    case "not_interested":
      return `A teammate marked this contact as not interested${on}.`;
    case "opted_out":
      return `This contact opted out${afterApproval}.`;
    case "earlier_enrollment":
      return `The approval was for an earlier enrollment of this contact, which ended${on}.`;
    case "replaced":
      return `A newer approval replaced this contact's approval${on}.`;
    case "steps_changed":
      return `The steps changed${afterApproval}.`;
    case "sender_changed":
      return `The sender changed${afterApproval}.`;
    case "not_approved":
      return "No activated audience for the current steps includes this contact.";
    case "approved":
      return "This contact is in an activated audience now.";
  }
}

const HAPPENED_TO_MANY: Record<HoldCause, string> = {
  details_changed: "Their details changed after the approval.",
  replied: "They replied after the approval.",
  not_interested: "A teammate marked them as not interested.",
  opted_out: "They opted out after the approval.",
  earlier_enrollment: "Their approvals were for earlier enrollments, which have ended.",
  replaced: "Newer approvals replaced their approvals.",
  steps_changed: "The steps changed after the approval.",
  sender_changed: "The sender changed after the approval.",
  not_approved: "No activated audience for the current steps includes them.",
  approved: "They are in an activated audience now.",
};

/** "Email address, company and job title". */
function listOfFields(fields: readonly string[]): string {
  const names = fields.map((field, i) => {
    const label = field === "email" ? "Email address" : codeLabel(field);
    return i === 0 ? label : label.charAt(0).toLowerCase() + label.slice(1);
  });
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}

/** A problem that a person fixes, and how. What fixes most of them changes what the approval covers. */
function problemText(reason: HoldReason, detail: string | null, words: Words, reader: Reader): string {
  const { they, have, them, one } = words;
  const eachContact = one ? "" : " for each contact";
  const release = one ? "release the contact" : "release the contacts";
  const again = reader.may("approve_sequence")
    ? `Then approve ${them} again and activate the audience. After that, ${release}.`
    : `Then ask a teammate who can approve outbound messages to approve ${them} again. After that, ${release}.`;
  switch (reason) {
    case "contact_changed":
      return `The approval no longer covers ${them}. ${wayOf("details_changed", words, reader)}`;
    case "not_authorised":
      return `${one ? whatHappened(NOT_APPROVED, 0) : HAPPENED_TO_MANY.not_approved} ${wayOf("not_approved", words, reader)}`;
    case "unfilled": {
      const missing = missingOf(reason, detail);
      if (missing.length === 0) return `A placeholder has no value. Add the value${eachContact}. ${again}`;
      const value = missing.length === 1 ? "the value" : "the values";
      return `${noValueText(missing)} Add ${value}${missing.some((name) => name !== SENDER) ? eachContact : ""}. ${again}`;
    }
    case "no_address":
      return `${they} ${have} no email address. Add one${eachContact}. ${again}`;
    case "no_profile":
      return `${they} ${have} no profile URL. Add one${eachContact}. ${again}`;
    case "no_account":
      return (
        "Rostrum can't tell which social account to send from. If the workspace has none, add one under Agents. If it has " +
        "several, ask your server admin to set the sequence's social account with the command rostrum call " +
        `update_sequence. ${again}`
      );
    case "came_back": {
      const said = detail === null ? "" : ` The mail server's reply: “${detail}”.`;
      return `An earlier email bounced because of a problem with your mail account or server.${said} Fix the problem, then ${release}.`;
    }
    case "unsendable": {
      const edit = one ? "Edit the step or the contact." : "Edit the step or the contacts.";
      if (detail === null) {
        const problem = one ? "The message can't be sent as it is." : "Their messages can't be sent as they are.";
        return `${problem} ${edit} ${again}`;
      }
      // Some faults say themselves what to correct.
      return /\. [A-Z]/.test(detail) ? `${faultText(detail)} ${again}` : `${faultText(detail)} ${edit} ${again}`;
    }
    case "send_unknown":
      return one
        ? "The mail server didn't confirm an email. Check whether it arrived, then mark it as sent or not sent."
        : "The mail server didn't confirm their emails. Check whether they arrived, then mark each as sent or not sent.";
  }
}

const NOT_APPROVED: Cause = { cause: "not_approved", fields: [], at: null };

export const SENDER = "sender_name";

/** The detail is a sentence for people, so placeholders are matched by name. */
export function missingOf(reason: HoldReason, detail: string | null) {
  if (reason !== "unfilled" || detail === null) return [];
  const words: readonly string[] = detail.match(/\w+/g) ?? [];
  return PLACEHOLDERS.filter((name) => words.includes(name));
}

/** Which placeholders have no value, as the steps write them. */
export const noValueText = (missing: readonly string[]): string =>
  `No value for ${missing.map((name) => `{{${name}}}`).join(", ")}.`;

/** The fields that a fault of a message begins with. */
const FAULTY: Record<string, string> = {
  subject: "The subject",
  body: "The text",
  email: "The email address",
  name: "The contact's or the sender's name",
};

/** Why a message can't be sent, as a sentence without the name of a field. */
export function faultText(detail: string): string {
  const [, field = "", rest = ""] = /^(\w+): (.*)$/s.exec(detail) ?? [];
  const name = Object.hasOwn(FAULTY, field) ? FAULTY[field] : undefined;
  if (name === undefined) return detail;
  return rest.startsWith("mail programs") ? `${name} is ambiguous: ${rest}` : `${name} ${rest}`;
}
