/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { MARKS, type Mark } from "../../../domain/text/marks.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Address, addressParts, Chip, Time } from "../../ui/basics.tsx";
import { Diff } from "../../ui/diff.tsx";
import { Hidden } from "../../ui/form.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";

export type Previewed = DataOf<"preview_audience">["contacts"][number];

/** A contact on any page that approves. */
export type Shown = Omit<Previewed, "in_sequence">;

/** The values that an earlier page showed of a contact, by field. */
type ShownBefore = Readonly<Record<string, string>>;

const MARK_NAMES: Record<Mark, string> = {
  agent: "Agent",
  long: "Long",
  link: "Link",
  phone: "Phone number",
  code: "Code",
  hidden: "Hidden characters",
  letters: "Non-ASCII letters",
};

const USES = { recipient: "", copy: "", record: " (not used)" } as const;

/** Warnings about a value. */
export function Marks({ of }: { of: readonly Mark[] }) {
  return of.map(shownMark);
}

const shownMark = (mark: Mark) => (
  <span key={mark} title={MARKS[mark]}>
    {" "}
    <Chip tone={mark === "agent" ? "plain" : "needs"}>{MARK_NAMES[mark]}</Chip>
  </span>
);

/** The same in a text. */
export const marksText = (of: readonly Mark[]) => of.map((mark) => `, ${MARK_NAMES[mark].toLowerCase()}`).join("");

/** Every value of a contact that an approval pins. One that no message uses is marked. */
export function RecipientValues({ contact }: { contact: Shown }) {
  return (
    <>
      <span class="values">
        {contact.values.map(({ field, value, use, marks }) => (
          <span class="small" key={field}>
            <span class="quiet">
              {codeLabel(field)}
              {USES[use]}:
            </span>{" "}
            {shownValue(field, value)}
            <Marks of={marks} />
          </span>
        ))}
      </span>
      {contact.suppressed && (
        <span class="hint">
          <Chip tone="needs">Do not contact</Chip> This contact gets no emails or social messages.
        </span>
      )}
      <SimilarOptOut address={contact.similar_suppressed} />
      <HasReplied at={contact.last_reply_at} notInterested={contact.not_interested} />
    </>
  );
}

/** Whether an approver should look twice: the contact answered, or has opted out or may have. */
export const isFlagged = (contact: Shown) =>
  contact.suppressed || contact.similar_suppressed !== null || contact.last_reply_at !== null || contact.not_interested;

const ADDRESSES = ["email", "socialnet_url"];

/** A value as the messages have it. */
function shownValue(field: string, value: string | null): ComponentChildren {
  const text = value === null ? "None" : revealed(value);
  return value !== null && ADDRESSES.includes(field) ? addressParts(text) : <span>{text}</span>;
}

/** Values that say what they are. Their labels are only for screen readers. */
const SELF_EVIDENT = [...ADDRESSES, "company"];

const MAX_COLUMNS = 2;
/** Longer values have a whole line. */
const MAX_COLUMN_TEXT = 40;

/*
 * Functions that run for each value are at module level. V8 drops the optimized code of a function that each page
 * creates, and would optimize it again and again.
 */
type Value = Shown["values"][number];
const isAddress = ({ field }: Value) => ADDRESSES.includes(field);
const isCompany = ({ field }: Value) => field === "company";
const isFurther = ({ field }: Value) => !SELF_EVIDENT.includes(field);
const isShort = ({ value }: Value) => (value ?? "").length <= MAX_COLUMN_TEXT;
const labelOf = ({ field, use }: Value) => `${codeLabel(field)}${USES[use]}`;

/** Short fields that every contact has. They are columns, so each label is shown once. */
export function columnsOf(contacts: readonly Shown[]): readonly string[] {
  const columns = (contacts[0]?.values ?? []).filter(isFurther).map(labelOf);
  if (columns.length > MAX_COLUMNS) return [];
  for (const { values } of contacts) {
    const further = values.filter(isFurther);
    if (further.map(labelOf).join() !== columns.join() || !further.every(isShort)) return [];
  }
  return columns;
}

/** The heads of the columns. Each value has its label for screen readers, so these are only for the eye. */
export function RecipientHeads({ columns }: { columns: readonly string[] }) {
  return (
    <p class="heads" aria-hidden="true">
      {["Contact", "Email and profile URL", "Company", ...columns].map((name) => (
        <span key={name}>{name}</span>
      ))}
    </p>
  );
}

interface RowProps {
  contact: Previewed;
  columns: readonly string[];
}

/**
 * The same values and warnings as one row of a list. A component, so that a row's elements live only while it is
 * rendered: a page has a hundred rows. Its parts aren't components, because each of those costs.
 */
export function RecipientRow({ contact, columns }: RowProps): ComponentChildren {
  const further = contact.values.filter(isFurther);
  const [inColumns, below] = columns.length > 0 ? [further, []] : [[], further];
  return (
    <>
      {warningsOf(contact)}
      <span class="addresses">{contact.values.filter(isAddress).map(valueInRow)}</span>
      {contact.values.filter(isCompany).map(valueInRow)}
      {inColumns.map(valueInColumn)}
      {below.length > 0 && <span class="below">{below.map(valueInRow)}</span>}
    </>
  );
}

/** Where a contact is in the sequence, and why that doesn't or does need another approval. */
function SequenceState({ in_sequence }: Pick<Previewed, "in_sequence">) {
  if (in_sequence === null) return null;
  const { state, covered, at } = in_sequence;
  const label = STATE_LABELS[state];
  if (state === "ended") {
    return (
      <span>
        <Chip>{label}</Chip> <Time at={at} />
      </span>
    );
  }
  if (!covered) {
    return (
      <span>
        <Chip tone="needs">{label}</Chip> {state === "on_hold" ? NOT_APPROVED : CHANGED_SINCE}
        {state === "enrolled" && " Without a new approval, they are put on hold at the next step."}
      </span>
    );
  }
  return (
    <span>
      <Chip tone={state === "on_hold" ? "needs" : state === "enrolled" ? "done" : "plain"}>{label}</Chip>{" "}
      {state === "on_hold" ? "Already approved. The sequence page says why they are on hold." : <Time at={at} />}
    </span>
  );
}

const STATE_LABELS: Record<NonNullable<Previewed["in_sequence"]>["state"], string> = {
  approved: "Approved, not activated",
  activated: "Activated, not enrolled",
  enrolled: "Enrolled",
  on_hold: "On hold",
  ended: "Ended",
};
const NOT_APPROVED = "Needs a new approval to continue.";
const CHANGED_SINCE = "The approval no longer covers this contact.";

/** Where a contact is in the sequence, and why an approver should look twice at them. */
function warningsOf(contact: Previewed): ComponentChildren {
  const { suppressed, similar_suppressed, last_reply_at, not_interested, in_sequence } = contact;
  if (!isFlagged(contact) && in_sequence === null) return null;
  return (
    <span class={suppressed || not_interested ? "warnings barred" : "warnings"}>
      <SequenceState in_sequence={in_sequence} />
      {suppressed && (
        <span>
          <Chip tone="stopped">Do not contact</Chip> Gets no emails or social messages.
        </span>
      )}
      {similar_suppressed !== null && (
        <span>
          <Chip tone="needs">May have opted out</Chip> <Address text={revealed(similar_suppressed)} /> is on the
          do-not-contact list. The address may belong to the same person.
        </span>
      )}
      {not_interested && (
        <span>
          <Chip tone="stopped">Not interested</Chip>
        </span>
      )}
      {last_reply_at !== null && (
        <span>
          <Chip tone="needs">Replied</Chip> They last replied <Time at={last_reply_at} />
        </span>
      )}
    </span>
  );
}

const valueInRow = (value: Value) =>
  labeledValue(value, !isFurther(value) && value.use !== "record" && value.value !== null ? "hidden" : "quiet");

/** Its label is the head of its column, where the window is wide enough for columns. */
const valueInColumn = (value: Value) => labeledValue(value, "headed");

const labeledValue = ({ field, value, use, marks }: Value, label: "hidden" | "quiet" | "headed") => (
  <span class={`value ${field}`} key={field}>
    <span class={label}>
      {codeLabel(field)}
      {USES[use]}:{" "}
    </span>
    {shownValue(field, value)}
    {marks.length > 0 && <Marks of={marks} />}
  </span>
);

/** A warning wherever someone is approved, enrolled or messaged who has answered. */
export function HasReplied({ at, notInterested }: { at: string | null; notInterested: boolean }) {
  if (at === null && !notInterested) return null;
  return (
    <span class="hint">
      {at !== null && (
        <>
          <Chip tone="needs">Replied</Chip> This contact, or another one with the same profile, last replied{" "}
          <Time at={at} />.
        </>
      )}{" "}
      {notInterested && (
        <>
          <Chip tone="stopped">Not interested</Chip> A teammate marked the last reply as not interested.
        </>
      )}
    </span>
  );
}

/** A warning that the recipient may have opted out under another address: similar, earlier, or of a second contact. */
export function SimilarOptOut({ address }: { address: string | null }) {
  if (address === null) return null;
  return (
    <span class="hint">
      <Chip tone="needs">May have opted out</Chip> <Address text={revealed(address)} /> is on the do-not-contact list.
      The address may belong to the same person.
    </span>
  );
}

interface ShownProps {
  contacts: readonly Shown[];
  /** Who changed since an earlier page was read. Default: since the rejected form was shown. */
  changed?: ReadonlySet<string>;
}

/** Hidden fields with the hash and the values that the form shows of each contact. */
export function ShownRecipients({ contacts, changed }: ShownProps) {
  const { failed } = usePageContext();
  const refused = useChangedRecipients(contacts);
  return (
    <>
      {contacts.map(({ contact_id, copy_hash }) => (
        <Hidden key={contact_id} name="copy_hashes" kind="hashes" value={`${contact_id} ${copy_hash}`} />
      ))}
      {shownTexts(contacts).map((text) => (
        <Hidden key={text} name={SHOWN_FIELD} value={text} />
      ))}
      <ChangedRecipients
        contacts={contacts}
        ids={changed ?? refused}
        before={readShown(failed?.typed.get(SHOWN_FIELD))}
      />
    </>
  );
}

interface ChangedProps {
  contacts: readonly Shown[];
  ids: ReadonlySet<string>;
  before: ReadonlyMap<string, ShownBefore>;
}

/** What changed about contacts between the page that was read and this one. */
function ChangedRecipients({ contacts, ids, before }: ChangedProps) {
  const changed = contacts.filter(({ contact_id }) => ids.has(contact_id));
  if (changed.length === 0) return null;
  return (
    <div class="card stack" id="changed">
      <p class="needs-note">These contacts changed while you reviewed them. Nothing was approved. Review them again.</p>
      {changed.map((contact) => (
        <div key={contact.contact_id}>
          <strong>{contact.name}</strong>
          <ChangedValues contact={contact} was={before.get(contact.contact_id)} />
        </div>
      ))}
    </div>
  );
}

/** Shows every value when the earlier page sent none to compare with. */
function ChangedValues({ contact, was }: { contact: Shown; was: ShownBefore | undefined }) {
  if (was === undefined) return <RecipientValues contact={contact} />;
  return (
    <>
      {contact.values
        .filter(({ field, value }) => was[field] !== (value ?? ""))
        .map(({ field, value }) => (
          <div key={field}>
            <span class="hint">{codeLabel(field)}</span>
            <Diff before={was[field] ?? ""} after={value ?? ""} />
          </div>
        ))}
    </>
  );
}

/** The contacts that changed since the rejected form was shown. */
export function useChangedRecipients(contacts: readonly Shown[]): ReadonlySet<string> {
  const { failed } = usePageContext();
  const read = new Map((failed?.typed.get(HASHES_FIELD) ?? []).map((text) => text.split(" ") as [string, string]));
  const changed = contacts.filter(({ contact_id: id, copy_hash }) => read.has(id) && read.get(id) !== copy_hash);
  return new Set(changed.map(({ contact_id }) => contact_id));
}

const HASHES_FIELD = "copy_hashes:hashes";

/** Carries what the page showed, so that a rejected form can show what changed. */
const SHOWN_FIELD = "_shown";

/** Keeps the form below its limit of 256 KiB. */
const MAX_SHOWN_BYTES = 120_000;

/** One text for each contact, as long as they fit. */
function shownTexts(contacts: readonly Shown[]): string[] {
  let bytes = 0;
  return contacts.flatMap(({ contact_id, values }) => {
    const text = JSON.stringify([
      contact_id,
      Object.fromEntries(values.map(({ field, value }) => [field, value ?? ""])),
    ]);
    bytes += encodeURIComponent(text).length;
    return bytes > MAX_SHOWN_BYTES ? [] : [text];
  });
}

function readShown(texts: readonly string[] = []): Map<string, ShownBefore> {
  const shown = new Map<string, ShownBefore>();
  for (const text of texts) {
    try {
      const [id, values] = JSON.parse(text) as [unknown, unknown];
      if (typeof id === "string" && typeof values === "object" && values !== null) {
        const texts = Object.entries(values).filter(([, value]) => typeof value === "string");
        shown.set(id, Object.fromEntries(texts));
      }
    } catch {
      // A client that changes this field sees no difference.
    }
  }
  return shown;
}
