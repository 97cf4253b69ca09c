/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { doorInWords, inWords, nameOf } from "../../names.ts";
import { Chip, Facts, Section, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, TextField } from "../../parts/fields.tsx";
import { useVisit } from "../../visit.ts";

interface Props {
  known: DataOf<"brain_contact">;
  /** Members by id. */
  names: ReadonlyMap<string, string>;
}

/** The record, where each field came from, and what can be changed in it. */
export function Known({ known, names }: Props) {
  const { contact, account, suppression, last_contacted_at, provenance } = known;
  const { href } = useVisit();
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
              ["Came by", contact.source && doorInWords(contact.source)],
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
                    {names.get(origin.actor_id) ?? doorInWords(origin.source)}, <Time at={origin.at} />
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
  const { href } = useVisit();
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
