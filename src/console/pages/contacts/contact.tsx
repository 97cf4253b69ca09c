/** @jsxRuntime automatic @jsxImportSource preact */

import { WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import { actorNames } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, CursorPager, Empty, Facts, Section, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { inWords, nameOf, sourceInWords } from "../../ui/labels.ts";
import { NoMailServer } from "../outreach/sends.tsx";
import { Stage } from "./stage.tsx";

interface Props {
  known: DataOf<"brain_contact">;
  /** Members by id. */
  names: ReadonlyMap<string, string>;
}

/** The record, where each field came from, and what can be changed in it. */
function Known({ known, names }: Props) {
  const { contact, account, suppression, last_contacted_at, provenance } = known;
  const { href } = usePageContext();
  return (
    <div>
      <Section title="Record">
        <div class="card stack">
          {suppression !== null && (
            <p>
              <Chip tone="stopped">Do not contact</Chip> {suppression.reason}, <Time at={suppression.created_at} />
            </p>
          )}
          <Facts
            facts={[
              ["E-mail", contact.email],
              ["Company", contact.company],
              ["Account", account && <a href={href(`/accounts/${account.id}`)}>{account.name}</a>],
              ["Job title", contact.job_title],
              ["Phone", contact.phone],
              ["Profile", contact.socialnet_url],
              ["Website", contact.website],
              ["Tags", contact.tags?.length ? <Tags tags={contact.tags} /> : null],
              ["Came by", contact.source && sourceInWords(contact.source)],
              // What agents and sequences send does not count: the timeline has it.
              ["Reached by hand", <Time at={last_contacted_at} />],
              ["Social network", SOCIAL[known.social_status]],
              ["Added", <Time at={contact.created_at} />],
            ]}
          />
          <div class="bar">
            <Edit contact={contact} />
            <Confirm does="add_contact_tags" opens="Add tags…" submit="Add the tags" align="right">
              <Hidden name="id" value={contact.id} />
              <TextField name="tags" kind="lines" label="Tags" hint="Divided by commas." />
            </Confirm>
            <Company contact={contact} />
            {contact.email !== null && suppression === null && <OptOut email={contact.email} />}
            <Confirm
              does="archive_contact"
              then="contacts"
              opens="Archive…"
              submit="Archive the contact"
              danger
              align="right"
            >
              <Hidden name="contact_id" value={contact.id} />
              <p>{nameOf(contact)} leaves every list, and every sequence.</p>
            </Confirm>
          </div>
        </div>
      </Section>
      <Section title="Where it came from">
        <dl class="facts small">
          {Object.entries(provenance).flatMap(([field, origin]) =>
            origin === null
              ? []
              : [
                  <dt key={field}>{FIELDS[field] ?? inWords(field)}</dt>,
                  <dd key={`${field}-by`}>
                    {names.get(origin.actor_id) ?? sourceInWords(origin.source)}, <Time at={origin.at} />
                  </dd>,
                ],
          )}
        </dl>
      </Section>
    </div>
  );
}

/** Fields that the record calls otherwise than the API does. */
const FIELDS: Record<string, string> = { email: "E-mail", socialnet_url: "Profile", account_id: "Account" };

const SOCIAL: Record<Props["known"]["social_status"], string> = {
  none: "not connected",
  invited: "invited",
  connected: "connected",
  messaged: "written to",
  replied: "has replied",
};

function Tags({ tags }: { tags: readonly string[] }) {
  const { href } = usePageContext();
  return (
    <span class="chips">
      {tags.map((tag) => (
        <a key={tag} class="chip" href={href("/contacts", { tag })}>
          {tag}
        </a>
      ))}
    </span>
  );
}

function Edit({ contact }: { contact: Props["known"]["contact"] }) {
  return (
    <Confirm does="update_contact" opens="Edit…" submit="Save the changes" align="right">
      <Hidden name="id" value={contact.id} />
      <TextField name="first_name" label="First name" value={contact.first_name} />
      <TextField name="last_name" label="Last name" value={contact.last_name} />
      <TextField name="email" type="email" label="E-mail address" value={contact.email} />
      <TextField name="job_title" label="Job title" value={contact.job_title} />
      <TextField name="phone" label="Phone" value={contact.phone} />
      <TextField name="socialnet_url" label="Profile on the social network" value={contact.socialnet_url} />
      <TextField name="website" label="Website" value={contact.website} />
    </Confirm>
  );
}

function Company({ contact }: { contact: Props["known"]["contact"] }) {
  return (
    <Confirm does="confirm_company" opens="Confirm company…" submit="Confirm the company" align="right">
      <Hidden name="contact_id" value={contact.id} />
      <p class="quiet">Nobody is enrolled whose company is not on record.</p>
      <TextField name="company" label="Company" value={contact.company} required />
    </Confirm>
  );
}

function OptOut({ email }: { email: string }) {
  return (
    <Confirm does="add_suppression" opens="Opt out…" submit="Put it on the do-not-contact list" danger align="right">
      <Hidden name="email" value={email} />
      <p>Nothing is sent to {email} any more, and its sequences stop. There is no way back from here.</p>
      <TextField name="reason" kind="optional" label="Why" />
    </Confirm>
  );
}

interface TimelineProps {
  known: DataOf<"brain_contact">;
  entries: DataOf<"list_activities">;
  /** Where older entries begin. */
  next: string | null;
  /** Members by id. */
  names: ReadonlyMap<string, string>;
}

/** What happened, newest first, and a way to add to it. */
function Timeline({ known: { meetings, contact }, entries, next, names }: TimelineProps) {
  const { query, href, may, failed } = usePageContext();
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
  return by ?? (typeof source === "string" ? sourceInWords(source) : "");
}

/** The accounts that an action can be planned for from here; the page of any other leads to it too. */
const SENDERS = 100;

export const contact = screen({
  path: "/contacts/:id",
  needs: "brain_contact",
  forms: [
    ...(["update_contact", "archive_contact", "add_contact_tags", "add_suppression", "log_activity"] as const),
    ...(["confirm_meeting", "confirm_bant", "confirm_company", "create_deal"] as const),
    ...(["enroll_contact", "stop_enrollment", "release_enrollment"] as const),
  ],
  async load(ctx) {
    const id = ctx.params.id ?? "";
    const before = ctx.query.get("before") ?? undefined;
    const [known, timeline, sequences, held, names, senders] = await Promise.all([
      ctx.call("brain_contact", { id }),
      ctx.call("list_activities", { contact_id: id, ...(before && { before }) }),
      ctx.call("list_sequences", { limit: 100 }),
      ctx.call("list_enrollments", { contact_id: id, held: true, limit: 100 }),
      actorNames(ctx),
      ctx.may("plan_socialnet_action") ? ctx.call("list_socialnet_accounts", { limit: SENDERS }) : undefined,
    ]);
    const open = sequences.data.filter(({ status }) => status !== "archived");
    return {
      ...{ known: known.data, timeline: timeline.data, next: timeline.meta.next, sequences: open, names },
      holds: new Map(held.data.map((enrollment) => [enrollment.id, enrollment.held_detail])),
      senders: senders?.data ?? [],
    };
  },
  title: ({ known }) => nameOf(known.contact),
  view: ({ known, timeline, next, sequences, holds, names, senders }) => (
    <div class="sides">
      <div>
        <Stage known={known} sequences={sequences} holds={holds} senders={senders} />
        <Timeline known={known} entries={timeline} next={next} names={names} />
      </div>
      <Known known={known} names={names} />
    </div>
  ),
});
