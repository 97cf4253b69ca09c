/** @jsxRuntime automatic @jsxImportSource preact */

import { type ComponentChildren, Fragment } from "preact";
import { CLOSED_STAGES } from "../../../domain/contacts/deal.ts";
import { LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import type { Contact } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Address, Chip, CursorPager, Fact, Section, Time } from "../../ui/basics.tsx";
import { Choices, Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { amount, counted, money } from "../../ui/format.ts";
import { codeLabel, nameOf } from "../../ui/labels.ts";
import { UrlLink } from "../../ui/links.tsx";
import { Mark } from "../../ui/mark.tsx";
import { DoNotContact, EnrollmentStatus, Status } from "../../ui/status.tsx";
import { KINDS } from "../socialnet/labels.ts";
import { suppressedOf } from "./chooser.tsx";
import { ReviewStrip } from "./review-strip.tsx";
import { Entries, LogActivity } from "./timeline.tsx";

type AccountRecord = DataOf<"get_account_record">;

/** People on one page of the list. */
const PEOPLE = 25;
/** The cursor of the people. The timeline has `before`. */
const PEOPLE_CURSOR = "people";
/** Sequences and actions that are shown. The pages of the contacts have all of them. */
const SHOWN = 5;

interface Loaded {
  record: AccountRecord;
  people: readonly Contact[];
  next: string | null;
  /** People of this page who are on the do-not-contact list. */
  suppressed: ReadonlySet<string>;
  stage: (typeof LIFECYCLE)[number] | undefined;
}

export const account = screen({
  path: "/accounts/:id",
  needs: "get_account_record",
  forms: ["update_account", "create_deal", "update_contact", "log_activity"],
  async load({ call, params, query }): Promise<Loaded> {
    const id = params.id ?? "";
    const stage = LIFECYCLE.find((known) => known === query.get("stage"));
    const [before, after] = [query.get("before") ?? undefined, query.get(PEOPLE_CURSOR) ?? undefined];
    const filter = { account_id: id, ...(stage && { stage }), ...(after && { before: after }), limit: PEOPLE };
    const [{ data: record }, people] = await Promise.all([
      call("get_account_record", { id, ...(before && { before }) }),
      call("filter_contacts", filter),
    ]);
    const suppressed = await suppressedOf(call, people.data);
    return { record, people: people.data, suppressed, next: people.meta.next, stage };
  },
  title: ({ record }) => record.account.name,
  mark: ({ record }) => <Mark name={record.account.name} kind="company" large />,
  status: ({ record }) => <Furthest record={record} />,
  action: ({ record }) => <NextStep record={record} />,
  view: (loaded) => (
    <>
      <Waiting record={loaded.record} />
      <div class="sides record">
        <Activity record={loaded.record} />
        <div>
          <Details record={loaded.record} />
          <People {...loaded} />
          <Deals record={loaded.record} />
          <Sequences record={loaded.record} />
          <Actions record={loaded.record} />
        </div>
      </div>
    </>
  ),
});

interface Props {
  record: AccountRecord;
}

/** The furthest stage that a contact of the company has reached. */
function Furthest({ record: { contacts } }: Props) {
  const furthest = LIFECYCLE.toReversed().find((stage) => contacts.by_stage[stage] > 0);
  if (furthest === undefined) return <Chip>No contacts</Chip>;
  return <Chip tone={furthest === "customer" ? "done" : "plain"}>{codeLabel(furthest)}</Chip>;
}

/** Messages to contacts of the company that need review. */
function Waiting({ record: { actions, contact_names } }: Props) {
  const named = actions.map((action) => {
    const name = contact_names[action.contact_id];
    return { ...action, ...(name !== undefined && { to: nameOf(name) }) };
  });
  return <ReviewStrip actions={named} />;
}

/** Links the first contact, and then opens deals with them. */
function NextStep({ record }: Props) {
  if (record.contacts.total === 0) return <LinkContact record={record} primary />;
  return (
    <Confirm does="create_deal" opens="Add deal…" submit="Add deal" primary align="right">
      <Select name="contact_id" label="Contact" choices={choicesOf(record.contacts.recent)} />
      <TextField name="title" label="Title" required />
      <TextField name="value" kind="number" type="number" label="Value" />
      <TextField name="currency" kind="optional" label="Currency" value="USD" />
      <TextField name="expected_close_date" kind="optional" type="date" label="Expected close" />
    </Confirm>
  );
}

const choicesOf = (contacts: readonly Contact[]) =>
  contacts.map((contact) => ({ value: contact.id, label: nameOf(contact) }));

interface LinkProps extends Props {
  primary?: boolean;
}

/** Agents and imports write the company's name on a contact, which links nothing. */
function LinkContact({ record: { account, unlinked }, primary = false }: LinkProps) {
  if (unlinked.length === 0) return null;
  return (
    <Confirm
      does="update_contact"
      id="link"
      opens="Link contact…"
      submit="Link contact"
      primary={primary}
      align="right"
    >
      <p class="quiet">Only contacts that name this company and aren't linked to a company are listed.</p>
      <Select name="id" label="Contact" choices={choicesOf(unlinked)} />
      <Hidden name="account_id" value={account.id} />
    </Confirm>
  );
}

/** The timelines of all contacts of the company as one. */
function Activity({ record }: Props) {
  const { contacts, covered, contact_names } = record;
  const names = Object.fromEntries(Object.entries(contact_names).map(([id, name]) => [id, nameOf(name)]));
  return (
    <Section title="Activity">
      <LogActivity contacts={choicesOf(contacts.recent)} />
      {covered < contacts.total && (
        <p class="hint">
          Shows the activity of the {amount(covered)} most recently updated contacts, out of {amount(contacts.total)}.
        </p>
      )}
      <Entries page={{ ...record, names }} several />
    </Section>
  );
}

/** Names the contacts on the do-not-contact list, as far as they are known. */
function Suppressed({ record: { suppressed, suppressed_ids, contact_names } }: Props) {
  const { href } = usePageContext();
  const named = suppressed_ids.flatMap((id) => {
    const name = contact_names[id];
    return name === undefined ? [] : [{ id, name: nameOf(name) }];
  });
  if (named.length === 0) return <>{suppressed === 0 ? "None" : counted(suppressed, "contact")}</>;
  const rest = suppressed - named.length;
  return (
    <>
      {named.map(({ id, name }, i) => (
        <Fragment key={id}>
          {i > 0 && ", "}
          <a href={href(`/contacts/${id}`)}>{name}</a>
        </Fragment>
      ))}
      {rest > 0 && ` and ${amount(rest)} more`}
    </>
  );
}

function Details({ record }: Props) {
  const { account } = record;
  const { domain, website, industry } = account;
  return (
    <Section title="Details">
      <dl class="facts">
        <Editable account={account} name="Name" field="name">
          {account.name}
        </Editable>
        <Editable account={account} name="Domain" field="domain">
          {domain && <Address text={domain} />}
        </Editable>
        <Editable account={account} name="Website" field="website">
          {website && <UrlLink text={website} />}
        </Editable>
        <Editable account={account} name="Industry" field="industry">
          {industry}
        </Editable>
        <Fact name="Do not contact">
          <Suppressed record={record} />
        </Fact>
        <Fact name="Added">
          <Time at={account.created_at} />
        </Fact>
      </dl>
    </Section>
  );
}

interface EditableProps {
  account: AccountRecord["account"];
  name: string;
  field: "name" | "domain" | "website" | "industry";
  children: ComponentChildren;
}

/** A value with the form that changes it. */
function Editable({ account, name, field, children }: EditableProps) {
  const form = (
    <Confirm
      does="update_account"
      id={`edit-${field}`}
      opens="Edit"
      about={name.toLowerCase()}
      submit="Save"
      align="right"
      quiet
    >
      <Hidden name="account_id" value={account.id} />
      <TextField name={field} label={name} value={account[field]} required={field === "name"} />
    </Confirm>
  );
  return (
    <Fact name={name} form={form}>
      {children}
    </Fact>
  );
}

/** The next step until the first contact is linked. */
const howToLink = ({ unlinked }: AccountRecord) =>
  unlinked.length > 0
    ? " Select Link contact above."
    : " First enter this company's name on the contact's page. Then you can link the contact here.";

function People({ record, people, suppressed, next, stage }: Loaded) {
  const { contacts } = record;
  const { href, may } = usePageContext();
  const link = contacts.total > 0 && <LinkContact record={record} />;
  return (
    <Section title={`Contacts (${amount(contacts.total)})`} action={link}>
      {contacts.total > 1 && (
        <Choices
          label="Filter by stage"
          name="stage"
          cursor={PEOPLE_CURSOR}
          choices={[
            { value: undefined, name: "All" },
            ...LIFECYCLE.filter((value) => contacts.by_stage[value] > 0 || value === stage).map((value) => ({
              value,
              name: codeLabel(value),
              count: contacts.by_stage[value],
            })),
          ]}
        />
      )}
      {people.length === 0 ? (
        <p class="quiet">
          {stage === undefined
            ? `No linked contacts yet.${may("update_contact") ? howToLink(record) : ""}`
            : "No contacts in this stage."}
        </p>
      ) : (
        <ul class="people">
          {people.map((contact) => (
            <li key={contact.id}>
              <Mark name={nameOf(contact)} />
              <div>
                <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>
                {contact.job_title !== null && <p class="hint">{contact.job_title}</p>}
              </div>
              {suppressed.has(contact.id) && <DoNotContact />}
              {contact.lifecycle !== null && <Chip>{codeLabel(contact.lifecycle)}</Chip>}
            </li>
          ))}
        </ul>
      )}
      <CursorPager next={next} label="Contact pages" cursor={PEOPLE_CURSOR} />
    </Section>
  );
}

function Deals({ record: { deals, contact_names } }: Props) {
  const { href } = usePageContext();
  return (
    <Section title="Deals">
      {deals.length === 0 ? (
        <p class="quiet">No deals yet</p>
      ) : (
        <ul class="people">
          {deals.map(({ id, title, value, currency, stage, contact_id }) => {
            const name = contact_names[contact_id];
            const isClosed = CLOSED_STAGES.some((closed) => closed === stage);
            return (
              <li key={id}>
                <div>
                  <a href={href(`/deals/${id}`)}>{title}</a>
                  <p class="hint">
                    {money(value, currency)}
                    {name !== undefined && ` · ${nameOf(name)}`}
                  </p>
                </div>
                <Chip tone={!isClosed ? "plain" : stage === "closed_won" ? "done" : "stopped"}>{codeLabel(stage)}</Chip>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}

function Sequences({ record: { enrollments, contact_names } }: Props) {
  const { href } = usePageContext();
  if (enrollments.length === 0) return null;
  return (
    <Section title="Sequences">
      <ul class="people">
        {enrollments.slice(0, SHOWN).map((enrollment) => {
          const { id, sequence_id, sequence_name, contact_id, status, held_reason } = enrollment;
          const name = contact_names[contact_id];
          return (
            <li key={id}>
              <div>
                {name !== undefined && <a href={href(`/contacts/${contact_id}`)}>{nameOf(name)}</a>}
                <p class="hint">
                  <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>
                </p>
              </div>
              <EnrollmentStatus status={status} held={held_reason !== null} replied={hasReplied(enrollment)} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Whether the contact has replied since they were enrolled. */
const hasReplied = ({ last_reply_at, enrolled_at }: AccountRecord["enrollments"][number]) =>
  last_reply_at !== null && last_reply_at >= enrolled_at;

function Actions({ record: { actions, contact_names } }: Props) {
  const { href } = usePageContext();
  if (actions.length === 0) return null;
  return (
    <Section title="Agent actions">
      <ul class="people">
        {actions.slice(0, SHOWN).map(({ id, account_id, account_label, contact_id, kind, status }) => {
          const name = contact_names[contact_id];
          return (
            <li key={id}>
              <div>
                <a href={href(`/agents/${account_id}/actions/${id}`)}>
                  {KINDS[kind]}
                  {name !== undefined && ` to ${nameOf(name)}`}
                </a>
                <p class="hint">by {account_label}</p>
              </div>
              <Status of={status} kind="action" />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
