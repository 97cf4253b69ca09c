/** @jsxRuntime automatic @jsxImportSource preact */
import { WRITABLE_ACTIVITIES } from "../../../domain/activity.ts";
import type { DataOf } from "../../answers.ts";
import { doorInWords, inWords } from "../../names.ts";
import { Chip, Empty, Section, Time } from "../../parts/basics.tsx";
import { CursorPager } from "../../parts/cursor.tsx";
import { Hidden, Select, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { useVisit } from "../../visit.ts";
import { NoMailServer } from "../sequences/sent.tsx";

interface Props {
  known: DataOf<"brain_contact">;
  entries: DataOf<"list_activities">;
  /** Where older entries begin. */
  next: string | null;
  /** Members by id. */
  names: ReadonlyMap<string, string>;
}

/** What happened, newest first, and a way to add to it. */
export function Timeline({ known: { meetings, contact }, entries, next, names }: Props) {
  const { query, href, may, failed } = useVisit();
  return (
    <Section title="Timeline">
      {query.has("before") && <p class="hint filter-means">Older entries.</p>}
      {may("log_activity") && (
        <details class="add" open={failed?.form === "log_activity"}>
          <summary class="button">Add to the timeline…</summary>
          <Form does="log_activity" class="card" label="Add to the timeline">
            <Hidden name="id" value={contact.id} />
            <div class="pair">
              <Select
                name="type"
                label="What happened"
                choices={WRITABLE_ACTIVITIES.map((value) => ({ value, label: inWords(value) }))}
              />
              <TextField name="subject" kind="optional" label="Subject" hint="A note needs none." />
            </div>
            <TextArea name="body" kind="optional" label="Text" rows={2} />
            <button type="submit" class="primary">
              Add to the timeline
            </button>
          </Form>
        </details>
      )}
      {meetings.some(({ confirmed }) => !confirmed) && (
        <p class="bar">
          <Chip tone="needs">Waits for you</Chip> A meeting is booked; confirm it once it was held.
        </p>
      )}
      {entries.length === 0 ? (
        <Empty title="Nothing has happened yet">
          <p>Calls, messages, meetings and notes are listed here, whoever made them.</p>
        </Empty>
      ) : (
        <ol class="line">
          {entries.map(({ id, type, subject, body, metadata, created_at }) => (
            <li key={id}>
              <Time at={created_at} />
              <div>
                <strong>{inWords(type)}</strong>
                {subject !== null && subject !== "Note" && <>: {subject}</>}
                {body !== null && <p>{body}</p>}
                {type === "email_not_sent" && (
                  <p class="hint">
                    <NoMailServer /> <a href={href("/sequences/sends", { status: "written" })}>See all of those</a>
                  </p>
                )}
                <p class="hint">{sourceOf(metadata, names)}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <CursorPager next={next} label="Pages of the timeline" />
    </Section>
  );
}

/** By which door it came, and who it was where that is known. */
function sourceOf({ source, member_id }: Record<string, unknown>, names: ReadonlyMap<string, string>): string {
  const by = names.get(String(member_id ?? ""));
  return by ?? (typeof source === "string" ? doorInWords(source) : "");
}
