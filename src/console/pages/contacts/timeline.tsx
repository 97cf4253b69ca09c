/** @jsxRuntime automatic @jsxImportSource preact */

import { isReply, keyOf, memberOf, WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, CursorPager, Empty, Section, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { formatDay, withDates } from "../../ui/format.ts";
import { codeLabel, isRepeated, nameOf, sourceLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { NotSent } from "../outreach/sends.tsx";

type ContactRecord = DataOf<"get_contact_record">;
type Activity = ContactRecord["timeline"][number];

/** A page of the timeline of one contact, or of all contacts of a company. */
interface TimelinePage {
  timeline: readonly Activity[];
  older: string | null;
  confirmed_meetings: ContactRecord["confirmed_meetings"];
  actor_names: ContactRecord["actor_names"];
  /** The names of the contacts, by id. */
  names: Readonly<Record<string, string>>;
}

/** The activity of the contact, newest first, with a form to log more. */
export function Timeline({ record }: { record: ContactRecord }) {
  const { meetings, contact } = record;
  return (
    <Section title="Activity">
      <LogActivity contacts={[{ value: contact.id, label: nameOf(contact) }]} />
      {meetings.some(({ confirmed }) => !confirmed) && (
        <p class="bar">
          <Chip tone="needs">Needs attention</Chip> A meeting is booked. Confirm it after it takes place.
        </p>
      )}
      <Entries page={{ ...record, names: { [contact.id]: nameOf(contact) } }} />
    </Section>
  );
}

interface LogProps {
  /** The contacts that it may be about. */
  contacts: readonly { value: string; label: string }[];
}

/** A form that logs an activity of one of these contacts. */
export function LogActivity({ contacts }: LogProps) {
  const { may, failed } = usePageContext();
  const [only, ...others] = contacts;
  if (only === undefined || !may("log_activity")) return null;
  return (
    <details class="add" open={failed?.form === "log_activity"}>
      <summary class="button">Log activity…</summary>
      <Form does="log_activity" class="card" label="Log activity">
        {others.length === 0 ? (
          <Hidden name="id" value={only.value} />
        ) : (
          <Select name="id" label="Contact" choices={contacts} />
        )}
        <div class="pair">
          <Select
            name="type"
            label="Activity"
            choices={WRITABLE_ACTIVITIES.map((value) => ({ value, label: codeLabel(value) }))}
          />
          <TextField name="subject" kind="optional" label="Subject" hint="Optional for notes." />
        </div>
        <TextArea name="body" kind="optional" label="Details" rows={2} />
        <button type="submit" class="primary">
          Log activity
        </button>
      </Form>
    </details>
  );
}

interface EntriesProps {
  page: TimelinePage;
  /** Whether each entry names its contact, because there are several. */
  several?: boolean;
}

/** The entries of a timeline, newest first, and links to the pages before and after. */
export function Entries({ page, several = false }: EntriesProps) {
  const { query, href } = usePageContext();
  const entries = entriesOf(page);
  return (
    <>
      {query.has("before") && <p class="hint filter-means">Older activity</p>}
      {entries.length === 0 ? (
        <Empty title="No activity yet">
          <p>Calls, messages, meetings and notes from teammates and agents appear here.</p>
        </Empty>
      ) : (
        <ol class="line timeline">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Mark {...entry.by} />
              <div>
                <p class="entry">
                  <span>
                    <strong>{entry.what}</strong>
                    {entry.subject !== null && <>: {entry.subject}</>}
                  </span>
                  <Time at={entry.at} />
                </p>
                {entry.body !== null && <p>{entry.body}</p>}
                {entry.isUnsent && <Unsent />}
                <p class="hint">
                  {several && (
                    <>
                      <a href={href(`/contacts/${entry.contactId}`)}>{page.names[entry.contactId] ?? "A contact"}</a>
                      {entry.by.name !== page.names[entry.contactId] && " · "}
                    </>
                  )}
                  {(!several || entry.by.name !== page.names[entry.contactId]) && entry.by.name}
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <CursorPager next={page.older} label="Timeline pages" />
    </>
  );
}

/** Below an email that no mail server took. */
export function Unsent() {
  const { href } = usePageContext();
  return (
    <p class="hint">
      <NotSent /> <a href={href("/sequences/sends", { status: "written" })}>View unsent emails</a>
    </p>
  );
}

interface Entry {
  id: string;
  contactId: string;
  at: string;
  what: string;
  subject: string | null;
  body: string | null;
  by: { name: string; kind: "person" | "agent" | "server" };
  /** Whether it is an email that no mail server took. */
  isUnsent: boolean;
}

/** The entries of the page and the meetings that teammates confirmed in the same time. */
function entriesOf(page: TimelinePage): Entry[] {
  const entries = page.timeline.map((activity) => toEntry(activity, page));
  const held = page.confirmed_meetings.map((meeting): Entry => {
    const { id, contact_id: contactId, held_on, note: body, confirmed_at: at, confirmed_by } = meeting;
    const by = { name: String(page.actor_names[confirmed_by ?? ""] ?? "Teammate"), kind: "person" } as const;
    const subject = held_on === null ? null : formatDay(held_on);
    return { id, contactId, at, what: "Meeting confirmed", subject, body, by, isUnsent: false };
  });
  return [...entries, ...held].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

function toEntry(activity: Activity, page: TimelinePage): Entry {
  const { id, contact_id: contactId, type, subject, body, metadata, created_at: at } = activity;
  const contact = { name: page.names[contactId] ?? "A contact", kind: "person" } as const;
  return {
    id,
    contactId,
    at,
    ...headingOf({ type, subject }),
    body,
    by: isReply(type) ? contact : writerOf(metadata, page.actor_names),
    isUnsent: type === "email_not_sent",
  };
}

/** Types whose subject, which Rostrum writes, says it all. */
const TOLD_BY_SUBJECT = ["suppressed", "out_of_office"];

/** What happened, and the subject if it says more. */
function headingOf({ type, subject }: Pick<Activity, "type" | "subject">): Pick<Entry, "what" | "subject"> {
  if (subject !== null && TOLD_BY_SUBJECT.includes(type)) return { what: withDates(subject), subject: null };
  const isShown = subject !== null && subject !== "Note" && !isRepeated(type, subject);
  return { what: codeLabel(type), subject: isShown ? subject : null };
}

/** The member or API key that wrote an entry, or else where it came from. */
function writerOf(metadata: Record<string, unknown>, names: TimelinePage["actor_names"]): Entry["by"] {
  const id = memberOf(metadata) ?? keyOf(metadata) ?? "";
  const { source } = metadata;
  if (Object.hasOwn(names, id)) return { name: String(names[id]), kind: source === "member" ? "person" : "agent" };
  const kind = source === "member" ? "person" : source === "public_api" || source === "agent" ? "agent" : "server";
  return { name: typeof source === "string" ? sourceLabel(source) : "Rostrum", kind };
}

interface LatestProps {
  activities: readonly Pick<Activity, "id" | "type" | "subject" | "body" | "created_at">[];
}

/** The latest entries of a timeline, each with its time. */
export function LatestActivity({ activities }: LatestProps) {
  return (
    <ol class="line">
      {activities.map(({ id, body, created_at, ...told }) => {
        const { what, subject } = headingOf(told);
        return (
          <li key={id}>
            <Time at={created_at} />
            <div>
              <strong>{what}</strong>
              {subject !== null && `: ${subject}`}
              {body !== null && <p>{body}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
