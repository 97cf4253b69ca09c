/** @jsxRuntime automatic @jsxImportSource preact */

import { isReply, keyOf, memberOf, WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, CursorPager, Empty, Section, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { formatDay } from "../../ui/format.ts";
import { codeLabel, isRepeated, nameOf, sourceLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { NotSent } from "../outreach/sends.tsx";

type ContactRecord = DataOf<"get_contact_record">;

/** The activity of the contact, newest first, with a form to log more. */
export function Timeline({ record }: { record: ContactRecord }) {
  const { meetings, contact, timeline, older } = record;
  const { query, may, failed } = usePageContext();
  const entries = withMeetings(record, query.has("before"));
  return (
    <Section title="Activity">
      {query.has("before") && <p class="hint filter-means">Older activity</p>}
      {may("log_activity") && (
        <details class="add" open={failed?.form === "log_activity"}>
          <summary class="button">Log activity…</summary>
          <Form does="log_activity" class="card" label="Log activity">
            <Hidden name="id" value={contact.id} />
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
      )}
      {meetings.some(({ confirmed }) => !confirmed) && (
        <p class="bar">
          <Chip tone="needs">Needs attention</Chip> A meeting is booked. Confirm it after it takes place.
        </p>
      )}
      {timeline.length === 0 && entries.length === 0 ? (
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
                  <strong>{entry.what}</strong>
                  {entry.subject !== null && <>: {entry.subject}</>}
                </p>
                {entry.body !== null && <p>{entry.body}</p>}
                {entry.isUnsent && <Unsent />}
                <p class="hint">
                  {entry.by.name} · <Time at={entry.at} />
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <CursorPager next={older} label="Timeline pages" />
    </Section>
  );
}

function Unsent() {
  const { href } = usePageContext();
  return (
    <p class="hint">
      <NotSent /> <a href={href("/sequences/sends", { status: "written" })}>View unsent messages</a>
    </p>
  );
}

interface Entry {
  id: string;
  at: string;
  what: string;
  subject: string | null;
  body: string | null;
  by: { name: string; kind: "person" | "agent" };
  /** Whether it is an email that no mail server took. */
  isUnsent: boolean;
}

/** The timeline, with the meetings that teammates confirmed in the time that it covers. */
function withMeetings(record: ContactRecord, isOlderPage: boolean): Entry[] {
  const entries = record.timeline.map((activity) => toEntry(activity, record));
  const last = record.older === null ? "" : (entries.at(-1)?.at ?? "");
  const held = record.meetings.flatMap(({ id, held_on, note, confirmed_at: at, confirmed_by }): Entry[] => {
    if (at === null || held_on === null || at < last || isOlderPage) return [];
    const by = { name: String(record.actor_names[confirmed_by ?? ""] ?? "Teammate"), kind: "person" } as const;
    return [{ id, at, what: "Meeting confirmed", subject: formatDay(held_on), body: note, by, isUnsent: false }];
  });
  return [...entries, ...held].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

function toEntry(activity: ContactRecord["timeline"][number], record: ContactRecord): Entry {
  const { id, type, subject, body, metadata, created_at: at } = activity;
  const isSuppression = type === "suppressed";
  const isShown = subject !== null && subject !== "Note" && !isSuppression && !isRepeated(type, subject);
  return {
    id,
    at,
    what: isSuppression ? (subject ?? codeLabel(type)) : codeLabel(type),
    subject: isShown ? subject : null,
    body,
    by: isReply(type) ? { name: nameOf(record.contact), kind: "person" } : writerOf(metadata, record),
    isUnsent: type === "email_not_sent",
  };
}

/** The member or API key that wrote an entry, or else where it came from. */
function writerOf(metadata: Record<string, unknown>, { actor_names }: ContactRecord): Entry["by"] {
  const id = memberOf(metadata) ?? keyOf(metadata) ?? "";
  const kind = metadata.source === "member" ? "person" : "agent";
  if (Object.hasOwn(actor_names, id)) return { name: String(actor_names[id]), kind };
  return { name: typeof metadata.source === "string" ? sourceLabel(metadata.source) : "Rostrum", kind };
}

interface LatestProps {
  activities: readonly Pick<ContactRecord["timeline"][number], "id" | "type" | "subject" | "body" | "created_at">[];
}

/** The latest entries of a timeline, each with its time. */
export function LatestActivity({ activities }: LatestProps) {
  return (
    <ol class="line">
      {activities.map(({ id, type, subject, body, created_at }) => (
        <li key={id}>
          <Time at={created_at} />
          <div>
            <strong>{type === "suppressed" ? (subject ?? codeLabel(type)) : codeLabel(type)}</strong>
            {subject !== null && type !== "suppressed" && !isRepeated(type, subject) && `: ${subject}`}
            {body !== null && <p>{body}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}
