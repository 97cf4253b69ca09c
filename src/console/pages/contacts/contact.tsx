/** @jsxRuntime automatic @jsxImportSource preact */

import { memberOf, WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, CursorPager, Empty, Facts, Section, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel, isRepeated, nameOf, sourceLabel } from "../../ui/labels.ts";
import { NotSent } from "../outreach/sends.tsx";
import { Stage } from "./stage.tsx";

type ContactRecord = DataOf<"get_contact_record">;

export const contact = screen({
  path: "/contacts/:id",
  needs: "get_contact_record",
  forms: [
    "update_contact",
    "archive_contact",
    "add_contact_tags",
    "add_suppression",
    "log_activity",
    "confirm_meeting",
    "confirm_bant",
    "confirm_company",
    "confirm_deal",
    "create_deal",
    "enroll_contact",
    "stop_enrollment",
    "release_enrollment",
  ],
  async load({ call, params, query }) {
    const before = query.get("before") ?? undefined;
    const { data } = await call("get_contact_record", { id: params.id ?? "", ...(before && { before }) });
    return data;
  },
  title: ({ contact }) => nameOf(contact),
  view: (record) => (
    <div class="sides">
      <div>
        <Stage record={record} />
        <Timeline record={record} />
      </div>
      <RecordDetails record={record} />
    </div>
  ),
});

interface Props {
  record: ContactRecord;
}

/** The activity of the contact, newest first, with a form to log more. */
function Timeline({ record }: Props) {
  const { meetings, contact, timeline, older } = record;
  const { query, href, may, failed } = usePageContext();
  return (
    <Section title="Timeline">
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
      {timeline.length === 0 ? (
        <Empty title="No activity yet">
          <p>Calls, messages, meetings and notes from teammates and agents appear here.</p>
        </Empty>
      ) : (
        <ol class="line">
          {timeline.map(({ id, type, subject, body, metadata, created_at }) => (
            <li key={id}>
              <Time at={created_at} />
              <div>
                <strong>{type === "suppressed" ? (subject ?? codeLabel(type)) : codeLabel(type)}</strong>
                {subject !== null && subject !== "Note" && type !== "suppressed" && !isRepeated(type, subject) && (
                  <>: {subject}</>
                )}
                {body !== null && <p>{body}</p>}
                {type === "email_not_sent" && (
                  <p class="hint">
                    <NotSent /> <a href={href("/sequences/sends", { status: "written" })}>View unsent messages</a>
                  </p>
                )}
                <p class="hint">{writerOf(metadata, record)}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <CursorPager next={older} label="Timeline pages" />
    </Section>
  );
}

/** The member who wrote an entry, or else where it came from. */
function writerOf(metadata: Record<string, unknown>, { actor_names }: ContactRecord): string {
  const id = memberOf(metadata) ?? "";
  if (Object.hasOwn(actor_names, id)) return String(actor_names[id]);
  return typeof metadata.source === "string" ? sourceLabel(metadata.source) : "";
}

/** The fields of the contact with their sources, and the forms that change them. */
function RecordDetails({ record }: Props) {
  const { contact, account, suppression, last_contacted_at, provenance, actor_names } = record;
  return (
    <div>
      <Section title="Details">
        <div class="card stack">
          {suppression !== null && (
            <p>
              <Chip tone="stopped">Do not contact</Chip> {suppression.reason}, <Time at={suppression.created_at} />
            </p>
          )}
          <Facts
            facts={[
              ["Email", contact.email],
              ["Company", account?.name === contact.company ? <CompanyLink account={account} /> : contact.company],
              ...(account === null || account.name === contact.company
                ? []
                : [["Linked company", <CompanyLink account={account} />] as const]),
              ["Job title", contact.job_title],
              ["Phone", contact.phone],
              ["Profile URL", contact.socialnet_url],
              ["Website", contact.website],
              ["Tags", contact.tags?.length ? <Tags tags={contact.tags} /> : null],
              ["Source", contact.source && sourceLabel(contact.source)],
              // Messages from agents and sequences don't count. The timeline lists them.
              ["Last contacted by a teammate", <Time at={last_contacted_at} />],
              ["Professional network", SOCIAL[record.social_status]],
              ["Added", <Time at={contact.created_at} />],
            ]}
          />
          <div class="bar">
            <Edit contact={contact} />
            <Confirm does="add_contact_tags" opens="Add tags…" submit="Add tags" align="right">
              <Hidden name="id" value={contact.id} />
              <TextField name="tags" kind="lines" label="Tags" hint="Separate tags with commas." />
            </Confirm>
            <Company contact={contact} />
            {contact.email !== null && suppression === null && <OptOut email={contact.email} />}
            <Confirm
              does="archive_contact"
              then="contacts"
              opens="Archive…"
              submit="Archive contact"
              danger
              align="right"
            >
              <Hidden name="contact_id" value={contact.id} />
              <p>
                {nameOf(contact)} is hidden from lists and removed from sequences. Addresses on the do-not-contact list
                stay there.
              </p>
            </Confirm>
          </div>
        </div>
      </Section>
      <Section title="Field sources">
        <dl class="facts small">
          {Object.entries(provenance).flatMap(([field, origin]) =>
            origin === null
              ? []
              : [
                  <dt key={field}>{FIELDS[field] ?? codeLabel(field)}</dt>,
                  <dd key={`${field}-by`}>
                    {actor_names[origin.actor_id] ?? sourceLabel(origin.source)}, <Time at={origin.at} />
                  </dd>,
                ],
          )}
        </dl>
      </Section>
    </div>
  );
}

function CompanyLink({ account }: { account: ContactRecord["account"] }) {
  const { href } = usePageContext();
  return account === null ? null : <a href={href(`/accounts/${account.id}`)}>{account.name}</a>;
}

/** Fields whose label differs from their API name. */
const FIELDS: Record<string, string> = {
  email: "Email",
  socialnet_url: "Profile URL",
  account_id: "Linked company",
  lifecycle: "Stage",
};

const SOCIAL: Record<ContactRecord["social_status"], string> = {
  none: "No connection",
  invited: "Invited",
  connected: "Connected",
  messaged: "Messaged",
  replied: "Replied",
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

function Edit({ contact }: { contact: ContactRecord["contact"] }) {
  return (
    <Confirm does="update_contact" opens="Edit…" submit="Save changes" align="right">
      <Hidden name="id" value={contact.id} />
      <TextField name="first_name" label="First name" value={contact.first_name} />
      <TextField name="last_name" label="Last name" value={contact.last_name} />
      <TextField name="email" type="email" label="Email" value={contact.email} />
      <TextField name="job_title" label="Job title" value={contact.job_title} />
      <TextField name="phone" label="Phone" value={contact.phone} />
      <TextField name="socialnet_url" label="Profile URL" value={contact.socialnet_url} />
      <TextField name="website" label="Website" value={contact.website} />
    </Confirm>
  );
}

function Company({ contact }: { contact: ContactRecord["contact"] }) {
  return (
    <Confirm does="confirm_company" opens="Confirm company…" submit="Confirm company" align="right">
      <Hidden name="contact_id" value={contact.id} />
      <p class="quiet">
        {contact.company === null
          ? "A contact needs a company before you can enroll them."
          : "Saves the company and records that you confirmed it. Your name then appears under “Field sources”."}
      </p>
      <TextField name="company" label="Company" value={contact.company} required />
    </Confirm>
  );
}

function OptOut({ email }: { email: string }) {
  return (
    <Confirm
      does="add_suppression"
      opens="Add to do-not-contact list…"
      submit="Add to do-not-contact list"
      danger
      align="right"
    >
      <Hidden name="email" value={email} />
      <p>Rostrum stops all messages and sequences to {email}. This can't be undone.</p>
      <TextField name="reason" kind="optional" label="Reason" hint="Optional." />
    </Confirm>
  );
}
