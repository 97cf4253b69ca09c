/** @jsxRuntime automatic @jsxImportSource preact */
// Long because a form keeps what was typed, shows each error in place and merges a teammate's changes in one state.

import { type ComponentChildren, toChildArray } from "preact";
import type { Problem } from "../../core/problem.ts";
import type { Kind } from "../app/form-data.ts";
import { type FormSnapshot, SNAPSHOT_FIELD, writeSnapshot } from "../app/form-merge.ts";
import type { OperationName } from "../app/operations.ts";
import { type FailedForm, usePageContext } from "../app/page-context.ts";
import { Key } from "./basics.tsx";
import { codeLabel, deliveryOutcome, statusLabel } from "./labels.ts";
import { renderNow } from "./rendered.tsx";
import { type Shortcut, shortcut } from "./shortcuts.ts";

interface FormProps {
  /** The operation it calls: fields have the names of its input. A member who may not call it does not see the form. */
  does: OperationName;
  /** Distinguishes it from another form of the page that calls the same operation. */
  id?: string;
  /** Where to go next, below the workspace; `{id}` is the record's. Without it, the same page. */
  then?: string;
  /** The name of the form, where it has no heading. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}

export function Form({ does, id = does, then, label, class: className, children }: FormProps) {
  const { may, failed, newToken } = usePageContext();
  if (!may(does)) return null;
  const mine = failed?.form === id && isSameRecord(failed, children) ? failed : undefined;
  if (mine !== undefined) mine.shown = true;
  return (
    <PlainForm id={id} label={label} class={className} failed={mine} isFresh>
      <input type="hidden" name="_do" value={does} />
      <input type="hidden" name="_form" value={id} />
      <input type="hidden" name="_token" value={newToken()} />
      {then !== undefined && <input type="hidden" name="_then" value={then} />}
      {children}
      <SnapshotField failed={mine} />
    </PlainForm>
  );
}

/**
 * Rendered after all fields, so that the server can tell a teammate's changes from those of the sender. A form that is
 * rendered again keeps its first snapshot. After a conflict, it takes the one that the conflict is about, so that a
 * second submission overwrites exactly that.
 */
function SnapshotField({ failed }: { failed: FailedForm | undefined }) {
  const { id, snapshot, choiceLabels, ids } = useForm();
  const { draft, renderedForms } = usePageContext();
  renderedForms.set(id, { snapshot, choiceLabels, ids });
  const again = draft?.get("_form")?.[0] === id ? draft : failed?.typed;
  const isEdit = [...snapshot.values()].some((values) => values.some((value) => value !== "" && value !== "false"));
  // A form that is rendered again holds what was typed, which is no snapshot of the record.
  const first = again !== undefined ? again.get(SNAPSHOT_FIELD)?.[0] : isEdit ? writeSnapshot(snapshot) : undefined;
  const text = failed?.stale === undefined ? first : writeSnapshot(failed.stale);
  return text === undefined ? null : <input type="hidden" name={SNAPSHOT_FIELD} value={text} />;
}

/**
 * Whether a refused form was about the same record as this one. The page may now show another record in the same form,
 * which must not get what was typed for the first.
 */
function isSameRecord({ typed }: FailedForm, children: ComponentChildren): boolean {
  return toChildArray(children).every((child) => {
    if (typeof child !== "object" || child.type !== Hidden) return true;
    const { name, kind, value } = child.props as unknown as Parameters<typeof Hidden>[0];
    const sent = typed.get(kind === undefined ? name : `${name}:${kind}`);
    return !NAMES_RECORD.test(name) || sent === undefined || sent.includes(String(value));
  });
}

/** A field that says which record a form is about. */
const NAMES_RECORD = /(^|_)id$/;

interface HiddenProps {
  name: string;
  value: string;
  kind?: Kind;
  /** Whether it is a part of what the form edits, and is merged like a field. */
  isEdited?: boolean;
}

/** A value that the page sets, such as a record's id. */
export function Hidden({ name, value, kind, isEdited = false }: HiddenProps) {
  const full = kind === undefined ? name : `${name}:${kind}`;
  const { ids, snapshot, failed } = useForm();
  if (isEdited) snapshot.set(full, [value]);
  if (NAMES_RECORD.test(name)) ids.set(full, value);
  const sent = isPin(name) ? sentPin(failed, full, value) : undefined;
  return <input type="hidden" name={full} value={sent ?? value} />;
}

/** Whether a field has what the member read. */
const isPin = (name: string) => /^read_|^recipient_url$|(?:^|_)hash(?:es)?$/.test(name) && !NAMES_RECORD.test(name);

/**
 * What a refused form sent in such a field. Its error is about another field, so if something changed in the meantime,
 * the next submission must be refused for it. After a conflict, the page shows what changed.
 */
function sentPin(failed: FormState["failed"], full: string, value: string): string | undefined {
  if (failed === undefined || failed.problem.code === "version_conflict") return undefined;
  const sent = failed.typed.get(full);
  if (!full.endsWith(":hashes")) return sent?.[0];
  // There is one field for each record. Its value begins with the id.
  const [id = ""] = value.split(" ");
  return id === "" ? undefined : sent?.find((pair) => pair.startsWith(`${id} `));
}

/** The button that Enter presses, where another button is the first of the form. */
export function EnterButton({ children }: { children: ComponentChildren }) {
  return (
    <button type="submit" class="hidden" tabIndex={-1}>
      {children}
    </button>
  );
}

interface ConfirmProps {
  does: OperationName;
  id?: string;
  then?: string;
  /** The label of the closed button. */
  opens: string;
  /** What it is about, for screen readers, where several rows have the same button. */
  about?: string;
  /** The label of the button that runs it. */
  submit: string;
  danger?: boolean;
  /** The main action of its page. */
  primary?: boolean;
  /** A small button next to a value. */
  quiet?: boolean;
  /** The key that opens it, outside text fields. */
  hotkey?: Shortcut;
  align?: "left" | "right";
  /** The consequence, and the fields. */
  children: ComponentChildren;
}

/** An action with a confirmation step. It works without scripts. */
export function Confirm({
  does,
  id = does,
  then,
  opens,
  about,
  submit,
  danger = false,
  primary = false,
  quiet = false,
  hotkey,
  align = "left",
  children,
}: ConfirmProps) {
  const { may, failed } = usePageContext();
  if (!may(does)) return null;
  return (
    <details
      class={`confirm ${align}${danger ? " final" : ""}`}
      open={failed?.form === id && isSameRecord(failed, children)}
    >
      <summary
        class={danger ? "button danger" : primary ? "button primary" : quiet ? "edit" : "button"}
        {...(hotkey !== undefined && shortcut(hotkey, opens.replace("…", "")))}
      >
        {opens}
        {about !== undefined && <span class="hidden"> {about}</span>}
        {hotkey !== undefined && " "}
        <Key of={hotkey} />
      </summary>
      <Form does={does} id={id} {...(then !== undefined && { then })} class="sheet">
        {children}
        <button type="submit" class={danger ? "danger" : "primary"}>
          {submit}
        </button>
      </Form>
    </details>
  );
}

interface PlainProps {
  id: string;
  action?: string;
  label?: string | undefined;
  class?: string | undefined;
  failed: Pick<FailedForm, "typed" | "problem"> | undefined;
  /**
   * Shows the form as the server rendered it. When someone goes back to a page, a browser otherwise fills in what was
   * typed and checked, by the position of the fields. By then, these may be about other records.
   */
  isFresh?: boolean;
  children: ComponentChildren;
}

/** A form that keeps what was typed, and shows each error next to its field. */
export function PlainForm({ id, action, label, class: className, failed, isFresh = false, children }: PlainProps) {
  const names = [...(failed?.typed.keys() ?? [])].map((name) => name.replace(/:\w+$/, ""));
  const [message, ...others] = failed?.problem.faults ?? [];
  const wrong = message === undefined ? undefined : fieldOf(message, names);
  return (
    <form
      method="post"
      action={action}
      class={className}
      aria-label={label}
      id={id}
      autoComplete={isFresh ? "off" : undefined}
    >
      {message !== undefined && wrong === undefined && (
        <p class="fault" role="alert" id={`${id}-fault`} tabIndex={-1}>
          {unplacedText(message)}
        </p>
      )}
      {others.length > 0 && <OtherFaults faults={others} />}
      <Fields form={newState({ id, failed, wrong })}>
        {children}
        {wrong !== undefined && <RemainingFault name={wrong} />}
      </Fields>
    </form>
  );
}

/** All errors but the first, which is next to its field. */
function OtherFaults({ faults }: { faults: readonly string[] }) {
  return (
    <ul class="fault" aria-label="More errors">
      {faults.map((fault) => (
        <li key={fault}>{unplacedText(fault)}</li>
      ))}
    </ul>
  );
}

/** Fields whose label is not their name, where an error is shown away from its field. */
const LABELS: Record<string, string> = {
  automation_mode: "Mode",
  contact_allowance: "Contact limit",
  copy: "Text",
  daily_cap: "Daily limit",
  days: "Wait (days)",
  done_on: "Done on",
  ends_at: "Ends at (UTC)",
  evidence: "Evidence or reason",
  expected_close_date: "Expected close",
  expires_in_days: "Expires after (days)",
  held_on: "Meeting date",
  owner_member_id: "Account holder",
  platform: "Channel",
  published_at: "Published at (UTC)",
  redirect_uri: "Redirect URI",
  scheduled_for: "Publish time (UTC)",
  scopes: "Permissions",
  send_ids: "Emails",
  socialnet_account_id: "Social account",
  socialnet_allowance: "Monthly social actions",
};

/** The label of a field by its path: `steps.2.body` is the message of a step. */
function labelOf(path: string): string {
  if (/^steps\.\d+\.body$/.test(path)) return "Message";
  if (/^steps\.\d+\.delay_days$/.test(path))
    return path.startsWith("steps.0.") ? "Days after enrollment" : "Days after the previous step";
  if (/^windows\.\d+\.from$/.test(path)) return "Start time";
  if (/^windows\.\d+\.to$/.test(path)) return "End time";
  const name = path.slice(path.lastIndexOf(".") + 1);
  // The page never shows an ID, so it calls the record by its name.
  return LABELS[name] ?? codeLabel(name.replace(/_id$/, ""));
}

/** The form that a field is in, and whether it was refused. */
interface FormState {
  id: string;
  failed: Pick<FailedForm, "typed" | "problem"> | undefined;
  /** The name of the field that the refusal is about. */
  wrong: string | undefined;
  /** What each field held before the member typed, as the form would send it. */
  snapshot: FormSnapshot;
  /** The label of what each list of choices held, by full name. */
  choiceLabels: Map<string, string>;
  /** The ids in its hidden fields, by full name. */
  ids: Map<string, string>;
  /** Set by the field that shows the refusal. What no field shows is below them all. */
  faultShown: { by?: string };
}

const newState = (state: Pick<FormState, "id" | "failed" | "wrong">): FormState => ({
  ...state,
  faultShown: {},
  snapshot: new Map(),
  choiceLabels: new Map(),
  ids: new Map(),
});

let currentForm = newState({ id: "", failed: undefined, wrong: undefined });

/** The form that a component is rendered in. */
export function useForm(): FormState {
  return currentForm;
}

/** The fields of a form. They are rendered at once, while their form is the current one. See `renderFor` about contexts. */
function Fields({ form, children }: { form: FormState; children: ComponentChildren }) {
  const before = currentForm;
  currentForm = form;
  try {
    return renderNow(children);
  } finally {
    currentForm = before;
  }
}

interface FaultProps {
  name: string;
  /** The label of the field. */
  label: string;
}

/** Why a field was refused, shown next to it. */
export function Fault({ name, label }: FaultProps) {
  const { id, failed, wrong, faultShown } = useForm();
  if (failed === undefined || wrong !== name || faultShown.by !== undefined) return null;
  faultShown.by = name;
  return (
    <p class="fault" role="alert" id={`${id}-fault`}>
      {faultText(failed.problem.faults[0] ?? failed.problem.message, name, label)}
    </p>
  );
}

/** Rendered after all fields, for an error of a field that is hidden or does not show it. */
function RemainingFault({ name }: { name: string }) {
  return <Fault name={name} label={labelOf(name)} />;
}

/** The field that a refusal names, or the nearest one that contains it. */
function fieldOf(message: string, names: readonly string[]): string | undefined {
  for (let at = pathOfFault(message); at; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
    const found = names.find((name) => name === at || name.startsWith(`${at}.`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Messages of the API, and the text that a page shows after the label of the field. */
const FAULT_TEXTS: readonly (readonly [message: RegExp, text: string])[] = [
  [/^(?:has fewer than 1 entries|must have at least one entry)$/, ": select at least one"],
  [/^(?:has fewer than|must have at least) (\d+) entries$/, ": select at least $1"],
  [/^(?:(?:is none of|must be one of) .*|must be a UUID)$/s, ": select one of the options"],
  [/^must be a date and time such as .*$/, ": choose a date and time"],
  [/^must be an absolute URL\. /, " must be a full URL. "],
  [/^(mail programs read .*)$/, ": $1. Correct it"],
  [/^(?:is not an e-?mail address|must be an email address.*)$/, " is invalid. Use the form name@example.com"],
  [/^(?:is not|must be) a whole number$/, " must be a whole number, like 20"],
  [/^(?:is not|must be) a number$/, " must be a number, like 20"],
  [/^(?:is not|must be) an? (?:string|array|object|boolean)$/, " is invalid. Enter it again"],
];

const FIELD = /^([a-z][\w.]*): (.*?)\.?$/s;

const REQUIRED = /^(?:is required|(?:is|can't be) empty)$/;

/** Messages that a page replaces as a whole: those about fields that it fills in itself, and values with other labels. */
const OWN_FAULTS: readonly (readonly [message: RegExp, text: string])[] = [
  [
    /^[a-z_]+ needs the permission approve_outbound\.|^Only teammates with approve_outbound can set /,
    "This needs the permission to approve outbound messages. Ask a teammate who has it.",
  ],
  [
    /^[a-z_]+ needs the permission operate\./,
    "Only super admins can do this. To get this role, ask a super admin or your server admin.",
  ],
  [/^[a-z_]+ needs the permission /, "You don't have the permission to do this. Ask a workspace admin."],
  [
    /^Setting automation_mode to automatic also requires /,
    "To turn on automatic sending, you also need the permission to approve outbound messages. Ask an admin who has it.",
  ],
  [
    /^approve_outbound: can only be granted by /,
    "Only the server admin, or an admin who can approve outbound messages, can grant this permission. Ask one of them.",
  ],
  [/^(Only super admins .*) a super_admin\./, "$1 a super admin. Ask one of them."],
  [/^Something went wrong on the server\./, "Something went wrong on the server. Try again, or ask your server admin."],
  [/^Sending is off on this server\./, "Sending is off on this server. Ask your server admin to turn on sending."],
  [
    /^The request body is larger than (\d+ KiB)\./,
    "This form is larger than $1. Shorten its texts, or choose a smaller file.",
  ],
  [
    /^lifecycle: can't /,
    "The contact's stage changed after you opened this page, or something that the next stage needs is no longer confirmed. Check the contact again.",
  ],
  [/^This deal is at /, "This deal is no longer at Closed won. Move it there before you confirm it."],
  [
    /^contact_id: is not in an activated approval/,
    "This contact isn't in an activated audience of this sequence. Approve and activate an audience that includes the contact.",
  ],
  [
    /^(?:sequence_id: has no activated approval|approval_id: is not active) for /,
    "No activated audience covers the current version of this sequence. Approve and activate an audience, then enroll again.",
  ],
  [
    /^An agent added this contact's company\./,
    "An agent added this contact's company. Confirm the company on the contact page, then enroll the contact.",
  ],
  [
    /^This contact has no company\./,
    "This contact has no company. Add one on the contact page, then enroll the contact.",
  ],
  [
    /^This contact is already active in this sequence\./,
    "This contact is already active in this sequence. Wait until it finishes, or remove the contact from the sequence.",
  ],
  [
    /^outcome: can't be retry because (.*)\. Choose /,
    "This email can't be sent again, because $1. Mark it as sent or not sent.",
  ],
  [
    /^to: must be (.*)\. Send one of them\./,
    "The contact's address changed after you opened this page. Send the answer to $1.",
  ],
  [
    /^automation_mode: .* because (\d+ planned actions) are /,
    "$1 are new or changed since you opened this page. Review them, then turn on automatic sending.",
  ],
  [
    /^automation_mode: .* because action /,
    "A planned action is new or changed since you opened this page. Review it, then turn on automatic sending.",
  ],
  [
    /^steps_hash: .* is changing\./,
    "The sender of this server's email is changing. Review the audience again in a minute.",
  ],
  [/^steps_hash: /, "The steps or the sender changed after you opened this page. Review them again."],
  [
    /^copy_hashes: (?:.* changed after|has no hash)/,
    "Some contacts changed after you opened this page. Review them again.",
  ],
  [/^content_hash:? /, "The text changed after you opened this page. Review the new version."],
  [
    /^(?:action_id|contact_id): .* has no profile URL\. Set /,
    "This contact has no valid profile URL. Add one on the contact page.",
  ],
  [
    /^(?:copy_hash|recipient_url): the contact's profile (?:has )?changed/,
    "The contact's profile URL changed after you opened this page. Review it again.",
  ],
  [
    /^action_id: .*approve_outbound/,
    "Releasing this action also approves it. Ask a teammate who can approve outbound messages.",
  ],
  [/^read_profile_url: /, "The account's profile URL changed after you opened this page. Check it, then submit again."],
  [
    /^read_reply_id: /,
    "The contact has written again since you opened this page. Read the new reply, then submit again.",
  ],
  [/^read_sends: your (.*)$/, "Your $1"],
  [
    /^read_resumable: /,
    "After you opened this page, the list of sequences that “Out of office” resumes has changed. Check the list, then submit again.",
  ],
  [/^read_from: /, "The sender changed after you opened this page. Check it, then submit again."],
  [
    /^contact_id: this contact has no email address\./,
    "This contact has no email address. Add one on the contact page.",
  ],
  [
    /^enrollment_id: has an unconfirmed /,
    "An email to this contact is unconfirmed. Mark it as sent or not sent first.",
  ],
  [/^The record changed after you read it\./, "This item changed after you opened this page. Review it again."],
  [/^read_last_reply: /, "The contact replied after you opened this page. Read the last reply, then submit again."],
  [/^copy: is already planned for this contact/, "This action is already planned for this contact. Edit it instead."],
  [/^ends_at: is required for /, "Enter an end date for Trial and Fixed term."],
  [/^ends_at: can't be set for /, "Clear the end date. Only Trial and Fixed term have one."],
  [/^done_on: can only be set with /, "Set a date only if the status is Done."],
  [/^(?:done_on|published_at): can't be in the future/, "The date can't be in the future."],
  [
    /^read_automation_mode: /,
    "The account's mode changed after you opened this page. Review the page again, then submit.",
  ],
  [
    /^read_hold: .* is now on hold with an approval\./,
    "This action is now on hold and approved. Review the page again, then submit.",
  ],
  [
    /^read_hold: .* is now on hold without an approval\./,
    "This action is now on hold and not approved. Review the page again, then submit.",
  ],
  [/^read_hold: .* is now not on hold\./, "This action is no longer on hold. Review the page again, then submit."],
  [
    /^The .* plan allows (\d+) contacts and you have /,
    "Your plan's limit is reached: this workspace can have $1 contacts. Archive some, or ask an admin to change the plan.",
  ],
  [
    /^The webhook or subscription of this delivery has ended or is suspended\./,
    "This delivery can't be sent again, because its webhook or subscription has ended or is suspended. To get new events, add the webhook again, or let the agent subscribe again.",
  ],
  [/^Your permissions changed during this request\./, "Your permissions changed in the meantime. Submit again."],
  [
    /^smtp: needs ROSTRUM_PUBLIC_URL, /,
    "While sending is on, every email has an unsubscribe link to this server. To connect a mail server, your server admin must first set ROSTRUM_PUBLIC_URL to an https address.",
  ],
  [
    /^Origin: must be the address of this server\./,
    "Rostrum doesn't accept forms from this address. Open the console at its usual address, or ask your server admin.",
  ],
  [
    /^No mail server is connected, so emails can't be sent\./,
    "No mail server is connected, so emails can't be sent. Ask a super admin or your server admin to connect a mail server, or save the emails to files.",
  ],
  [
    /^contact_ids\.\d+: is not the id of a contact\./,
    "A selected contact was archived after you opened this page. Check your selection, then submit again.",
  ],
  [/^owner_id: is not the id of /, "This teammate was removed from the workspace. Choose another owner."],
  [
    /^Changing (?:label|profile_url) also requires the permission approve_outbound\./,
    "To change this, you also need the permission to approve outbound messages. Ask an admin who has it.",
  ],
  [
    /^Changing (?:from|sender_name) also requires the permission approve_outbound\./,
    "To change the sender, you also need the permission to approve outbound messages. Ask an admin who has it.",
  ],
  [/^Send at least one of these fields: /, "Enter at least one value."],
  [/^text: choose a file/, "Choose a file or paste some lines."],
  [/^text: has no rows/, "The list has no rows below its header. Add some."],
  [/^file: is not text/, "The file is not text in UTF-8 or UTF-16. Save it as CSV in UTF-8."],
  [/^text: must be (1000000) characters/, "The list is too long. Import it in parts of up to 1 MB."],
  [/^columns: must fill /, "Choose a field for at least one column."],
  [
    /^from_row: this import continues |^This import finished after /,
    "This list is being imported in another tab or by a teammate. To see the result, import it again in a minute. No contact is added twice.",
  ],
  [
    /^socialnet_account_id: is not your account\./,
    "This account isn't yours. Ask an admin to make you its account holder.",
  ],
  [/^tags: must have at least one tag\./, "Enter at least one tag."],
  [/^note: can't be blank when you request changes\./, "Enter the changes needed."],
  [/^bant_assessment: /, "Confirm this lead's BANT assessment on the contact page before you add a deal."],
];

/** A refusal where its form isn't shown. */
export const refusalText = ({ faults: [first], message }: Problem) => unplacedText(first ?? message);

/** An error away from its field. */
function unplacedText(message: string): string {
  const name = pathOfFault(message);
  return name === undefined ? (ownFaultText(message) ?? message) : faultText(message, name, labelOf(name));
}

/** The refusal of several items because of one of them. Its index means nothing on the page. */
const ONE_OF_ITEMS = /^items\.\d+: (.*) Nothing was approved\.$/s;

/** A refusal that names a status of the API. */
const STATUS_FAULT = /^This (action|answer|approval|document|email|post) (?:is|is already|has the status) ([a-z_]+)\. /;

/** The refusal of an endpoint, with the error as the API names it. */
const CHALLENGE_FAULT = /^The webhook URL did not answer the challenge \((\w+)\)\./;

function ownFaultText(message: string): string | undefined {
  const [, ofItem] = ONE_OF_ITEMS.exec(message) ?? [];
  if (ofItem !== undefined)
    return `Nothing was approved, because one of the selected items can't be approved. ${ownFaultText(ofItem) ?? ofItem}`;
  const [, what = "", status] = STATUS_FAULT.exec(message) ?? [];
  if (status !== undefined) {
    const label = statusLabel(status, what === "action" ? what : undefined);
    return `The status of this ${what} changed to “${label}” after you opened this page. Review it again.`;
  }
  const [, error] = CHALLENGE_FAULT.exec(message) ?? [];
  if (error !== undefined)
    return `The endpoint URL didn't answer the challenge. Error: ${deliveryOutcome(error)}. Check that the endpoint is online and answers the challenge.`;
  const [pattern, text] = OWN_FAULTS.find(([pattern]) => pattern.test(message)) ?? [];
  return text?.replace("$1", pattern?.exec(message)?.[1] ?? "");
}

/** Which field a refusal is about, as the operation's input names it. */
function pathOfFault(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/**
 * The refusal of one field as the page shows it: with the label of the field, and rows and entries counted from 1. A
 * message without its own text here stays unchanged.
 */
export function faultText(message: string, name: string, label: string): string {
  const own = ownFaultText(message);
  if (own !== undefined) return own;
  const [, path = "", says = message] = FIELD.exec(message) ?? [];
  const row = rowOf(name);
  const rows = name.startsWith(`${path}.`) ? rowsAt(path) : undefined;
  if (rows !== undefined) return `${rows} ${says}.`;
  const entry = /^(\d+)(\.|$)/.exec(path.slice(name.length + 1))?.[1];
  const field = `${label}${entry === undefined ? "" : ` (entry ${Number(entry) + 1})`}`;
  if (REQUIRED.test(says)) return `${row}Enter ${withArticle(field)}.`;
  const known = FAULT_TEXTS.find(([pattern]) => pattern.test(says));
  const words = known === undefined ? ` ${says}` : says.replace(known[0], known[1]);
  return `${field.startsWith(row) ? "" : row}${field}${words}.`;
}

/** A label inside a sentence: "the guidelines", "the URL", "your name". */
function withArticle(label: string): string {
  const inside = /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  return inside.startsWith("your ") ? inside : `the ${inside}`;
}

/** The label of rows that an error is about as a whole: `steps` are Steps, `steps.2` is Step 3. */
function rowsAt(path: string): string | undefined {
  const [, rows, at] = /^([a-z]\w*?)s(?:\.(\d+))?$/.exec(path) ?? [];
  if (rows === undefined) return undefined;
  return at === undefined
    ? (ROWS[rows] ?? codeLabel(`${rows}s`))
    : `${ROWS[rows] ?? codeLabel(rows)} ${Number(at) + 1}`;
}

/** Rows whose label is not their name. */
const ROWS: Record<string, string> = { window: "Sending hours" };

/** `steps.2.body` is in the third step. */
function rowOf(name: string): string {
  const [, rows = "", at] = /^([a-z]\w*?)s?\.(\d+)\./.exec(name) ?? [];
  return at === undefined ? "" : `${ROWS[rows] ?? codeLabel(rows)} ${Number(at) + 1}: `;
}
