/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { ON_RECORD } from "../../../domain/contacts/contact.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Fact, Section, Time } from "../../ui/basics.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { codeLabel, nameOf, SOCIAL_LABELS, sourceLabel, suppressionReason } from "../../ui/labels.ts";
import { EmailLink, PhoneLink, UrlLink } from "../../ui/links.tsx";
import { Mark } from "../../ui/mark.tsx";
import { MoreActions } from "../../ui/more-actions.tsx";
import { OptOut } from "../../ui/opt-out.tsx";
import { DoNotContact } from "../../ui/status.tsx";
import { HasReplied } from "../outreach/recipients.tsx";
import { ReviewStrip } from "./review-strip.tsx";
import { Stage } from "./stage.tsx";
import { Timeline } from "./timeline.tsx";

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
  mark: ({ contact }) => <Mark name={nameOf(contact)} large />,
  status: ({ lifecycle, suppression }) => (
    <>
      <Chip tone={lifecycle.stage === "customer" ? "done" : "plain"}>{codeLabel(lifecycle.stage)}</Chip>
      {suppression !== null && <DoNotContact />}
    </>
  ),
  view: (record) => (
    <>
      <ReviewStrip actions={record.actions} />
      <div class="sides record">
        <div>
          <Stage record={record} />
          <Timeline record={record} />
        </div>
        <RecordDetails record={record} />
      </div>
    </>
  ),
});

interface Props {
  record: ContactRecord;
}

/** The fields of the contact, each with a form that changes it, and their sources. */
function RecordDetails({ record }: Props) {
  const { contact, account, suppression, last_contacted_at } = record;
  return (
    <div>
      <Section
        title="Details"
        action={
          <div class="bar-inline">
            <Edit contact={contact} />
            <Rare record={record} />
          </div>
        }
      >
        {suppression !== null && (
          <p class="needs-note">
            Do not contact: {suppressionReason(suppression.reason)}, <Time at={suppression.created_at} />
          </p>
        )}
        {(record.last_reply_at !== null || record.not_interested) && (
          <p class="bar">
            <HasReplied at={record.last_reply_at} notInterested={record.not_interested} />
          </p>
        )}
        <dl class="facts">
          <Editable contact={contact} name="Name" fields={["first_name", "last_name"]}>
            {nameOf(contact)}
          </Editable>
          <Editable contact={contact} name="Email" fields={["email"]}>
            {contact.email && <EmailLink text={contact.email} />}
          </Editable>
          <Fact name="Company" form={<Company record={record} />}>
            {account?.name === contact.company ? <CompanyLink account={account} /> : contact.company}
          </Fact>
          {account !== null && account.name !== contact.company && (
            <Fact name="Linked company">
              <CompanyLink account={account} />
            </Fact>
          )}
          <Editable contact={contact} name="Job title" fields={["job_title"]}>
            {contact.job_title}
          </Editable>
          <Editable contact={contact} name="Phone" fields={["phone"]}>
            {contact.phone && <PhoneLink text={contact.phone} />}
          </Editable>
          <Editable contact={contact} name="Profile URL" fields={["socialnet_url"]}>
            {contact.socialnet_url && <UrlLink text={contact.socialnet_url} />}
          </Editable>
          <Editable contact={contact} name="Website" fields={["website"]}>
            {contact.website && <UrlLink text={contact.website} />}
          </Editable>
          <Fact name="Tags" form={<AddTags contact={contact} />}>
            {contact.tags?.length ? <Tags tags={contact.tags} /> : null}
          </Fact>
          <Fact name="Professional network">{SOCIAL_LABELS[record.social_status]}</Fact>
          {/* Emails and agents' actions don't count. The timeline lists them. */}
          <Fact name="Last call or message">
            <Time at={last_contacted_at} />
          </Fact>
          <Fact name="Added">
            <Time at={contact.created_at} />
            {contact.source && <span class="hint"> · {sourceLabel(contact.source)}</span>}
          </Fact>
        </dl>
        <Sources record={record} />
      </Section>
    </div>
  );
}

/** What is done rarely, and can't be undone. */
function Rare({ record: { contact, suppression } }: Props) {
  const { may } = usePageContext();
  const optsOut = contact.email !== null && suppression === null && may("add_suppression");
  if (!optsOut && !may("archive_contact")) return null;
  return (
    <MoreActions forms={["add_suppression", "archive_contact"]}>
      {contact.email !== null && optsOut && <OptOut email={contact.email} />}
      <Confirm does="archive_contact" then="contacts" opens="Archive…" submit="Archive contact" danger>
        <Hidden name="contact_id" value={contact.id} />
        <p>
          Archiving hides {nameOf(contact)} from lists and stops their sequences. Answers that aren't sent yet and
          social actions that haven't started are canceled. Addresses on the do-not-contact list stay there. This can't
          be undone.
        </p>
      </Confirm>
    </MoreActions>
  );
}

const TEXT_FIELDS = ["first_name", "last_name", "email", "job_title", "phone", "socialnet_url", "website"] as const;
type TextFieldName = (typeof TEXT_FIELDS)[number];

interface EditableProps {
  contact: ContactRecord["contact"];
  name: string;
  fields: readonly TextFieldName[];
  children: ComponentChildren;
}

/** A value with a form for the fields that it shows. */
function Editable({ contact, name, fields, children }: EditableProps) {
  const form = (
    <Confirm
      does="update_contact"
      id={`edit-${fields[0]}`}
      opens="Edit"
      about={name.replace(/^[A-Z](?=[a-z])/, (initial) => initial.toLowerCase())}
      submit="Save"
      align="right"
      quiet
    >
      <Hidden name="id" value={contact.id} />
      <ContactFields contact={contact} fields={fields} />
    </Confirm>
  );
  return (
    <Fact name={name} form={form}>
      {children}
    </Fact>
  );
}

/** All fields in one form. */
function Edit({ contact }: { contact: ContactRecord["contact"] }) {
  return (
    <Confirm does="update_contact" opens="Edit details…" submit="Save changes" align="right">
      <Hidden name="id" value={contact.id} />
      <ContactFields contact={contact} fields={TEXT_FIELDS} />
    </Confirm>
  );
}

function ContactFields({ contact, fields }: Pick<EditableProps, "contact" | "fields">) {
  return (
    <>
      {fields.map((field) => (
        <TextField
          key={field}
          name={field}
          label={FIELDS[field] ?? codeLabel(field)}
          value={contact[field]}
          {...(field === "email" && { type: "email" as const })}
        />
      ))}
    </>
  );
}

/** Who wrote each field, on demand. */
function Sources({ record: { provenance, actor_names } }: Props) {
  return (
    <details class="more">
      <summary>Field sources</summary>
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
    </details>
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

function AddTags({ contact }: { contact: ContactRecord["contact"] }) {
  return (
    <Confirm does="add_contact_tags" opens="Add" about="tags" submit="Add tags" align="right" quiet>
      <Hidden name="id" value={contact.id} />
      <TextField name="tags" kind="lines" label="Tags" hint="Separate tags with commas." />
    </Confirm>
  );
}

function Company({ record: { contact, provenance } }: Props) {
  const source = provenance.company?.source;
  const isUnconfirmed = contact.company !== null && !ON_RECORD.some((known) => known === source);
  const labels = isUnconfirmed
    ? { opens: "Confirm", submit: "Confirm company" }
    : { opens: "Edit", submit: "Save company" };
  return (
    <Confirm does="confirm_company" {...labels} about="company" align="right" quiet>
      <Hidden name="contact_id" value={contact.id} />
      {isUnconfirmed && (
        <p class="quiet">
          An agent added this company. To enroll the contact, confirm or correct the company here, or approve an
          audience that shows it.
        </p>
      )}
      {contact.company === null && <p class="quiet">A contact needs a company before you can enroll them.</p>}
      <TextField name="company" label="Company" value={contact.company} required />
    </Confirm>
  );
}
