/** @jsxRuntime automatic @jsxImportSource preact */

import { LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import { SAMPLE_TAG } from "../../../domain/contacts/sample.ts";
import type { Contact } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, CursorPager, Empty, Table, Time } from "../../ui/basics.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Confirm } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { codeLabel, nameOf, sourceLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { shortcut } from "../../ui/shortcuts.ts";
import { DoNotContact } from "../../ui/status.tsx";
import { suppressedOf } from "./chooser.tsx";

const MAX_FOUND = 50;

export const contacts = screen({
  path: "/contacts",
  title: "Contacts",
  needs: "list_contacts",
  forms: ["create_contact", "remove_sample_contacts"],
  async load(ctx) {
    const { call, query } = ctx;
    const text = query.get("q")?.trim() ?? "";
    const { data: tags } = await call("list_contact_tags", {});
    if (text !== "") {
      const { data } = await call("search_contacts", { text: text.slice(0, 200), limit: MAX_FOUND });
      return { text, tags, data, suppressed: await suppressedOf(call, data), next: null, total: undefined };
    }
    const filter = filterOf(query);
    const filtered = Object.keys(filter).length > 0;
    const before = query.get("before") ?? undefined;
    const [{ data, meta }, whole] = await Promise.all([
      call("filter_contacts", { ...filter, ...(before && { before }), limit: 50 }),
      filtered ? undefined : call("list_contacts", { limit: 1 }),
    ]);
    const suppressed = await suppressedOf(call, data);
    return { text, tags, data, suppressed, next: meta.next, total: whole?.meta.total };
  },
  action: () => <Actions />,
  view: ({ text, tags, data, suppressed, next, total }) => (
    <>
      <SearchContacts text={text} />
      {text === "" && <Filters tags={tags} />}
      {tags.includes(SAMPLE_TAG) && <RemoveSamples />}
      <div id="results" aria-live="polite">
        {text !== "" && <Found text={text} count={data.length} />}
        {total !== undefined && total > 0 && <p class="hint filter-means">{counted(total, "contact")}, newest first</p>}
        {data.length > 0 && <ContactTable caption="Contacts, newest first" rows={data} suppressed={suppressed} />}
        {data.length === 0 && text === "" && <NoContacts total={total} more={next !== null} />}
        <CursorPager next={next} />
      </div>
    </>
  ),
});

/** The search runs while the member types. */
function SearchContacts({ text }: { text: string }) {
  const { href } = usePageContext();
  const address = href("/contacts");
  return (
    <form class="search" role="search" action={address} method="get" aria-label="Search contacts">
      <Icon name="search" />
      <input
        type="search"
        name="q"
        aria-label="Search contacts"
        placeholder="Search contacts"
        value={text}
        maxLength={200}
        autoComplete="off"
        {...shortcut("f", "Search contacts")}
        hx-get={address}
        hx-trigger="input changed delay:200ms"
        hx-target="#results"
        hx-select="#results"
        hx-swap="outerHTML"
        // The result has its own address, which can be shared.
        hx-replace-url="true"
      />
    </form>
  );
}

interface TableProps {
  caption: string;
  rows: readonly Contact[];
  /** Contacts on the do-not-contact list. */
  suppressed: ReadonlySet<string>;
}

function ContactTable({ caption, rows, suppressed }: TableProps) {
  const { href } = usePageContext();
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Name",
          cell: (contact) => (
            <span class={suppressed.has(contact.id) ? "named marked" : "named"}>
              <Mark name={nameOf(contact)} small /> <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>{" "}
              {suppressed.has(contact.id) && <DoNotContact />}
            </span>
          ),
        },
        { name: "Company", cell: ({ company }) => company },
        {
          name: "Email",
          wide: true,
          cell: ({ email }) =>
            email && (
              <span class="cut address" title={email}>
                {email}
              </span>
            ),
        },
        {
          name: "Stage",
          phone: "end",
          cell: ({ lifecycle }) => lifecycle !== null && <Stage stage={lifecycle} />,
        },
        { name: "Tags", wide: true, cell: ({ tags }) => tags && tags.length > 0 && <Tags tags={tags} /> },
        { name: "Added", wide: "roomy", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** Most contacts are prospects, so only the late stages stand out. */
function Stage({ stage }: { stage: string }) {
  const label = codeLabel(stage);
  return stage === "opportunity" || stage === "customer" ? (
    <Chip tone={stage === "customer" ? "done" : "plain"}>{label}</Chip>
  ) : (
    <span class="quiet">{label}</span>
  );
}

const TAGS_SHOWN = 2;

function Tags({ tags }: { tags: readonly string[] }) {
  const more = tags.length - TAGS_SHOWN;
  return (
    <span title={tags.join(", ")}>
      {tags.slice(0, TAGS_SHOWN).join(", ")}
      {more > 0 && <span class="quiet"> +{more}</span>}
    </span>
  );
}

const SOURCES = ["member", "public_api", "import"] as const;

/** The filters of the query string, as the operation takes them. */
function filterOf(query: URLSearchParams) {
  const stage = LIFECYCLE.find((known) => known === query.get("stage"));
  const tag = query.get("tag");
  const source = SOURCES.find((known) => known === query.get("source"));
  const company = query.get("company")?.trim();
  return { ...(stage && { stage }), ...(tag && { tag }), ...(source && { source }), ...(company && { company }) };
}

function Filters({ tags }: { tags: readonly string[] }) {
  const { href, query } = usePageContext();
  const filter = filterOf(query);
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <details class="fold" open={filtered}>
        <summary class="button">Filter…</summary>
      </details>
      <form method="get" action={href("/contacts")} class="sieve" aria-label="Filter contacts">
        <Choice name="stage" label="Stage" values={LIFECYCLE} chosen={filter.stage} />
        <Choice name="tag" label="Tag" values={tags} chosen={filter.tag} labelOf={(tag) => tag} />
        <Choice name="source" label="Source" values={SOURCES} chosen={filter.source} labelOf={sourceLabel} />
        <div class="field">
          <label for="filter-company">Company</label>
          <input id="filter-company" name="company" value={filter.company ?? ""} maxLength={500} />
        </div>
        <div class="bar-inline">
          <button type="submit">Apply filters</button>
          {filtered && <a href={href("/contacts")}>Clear filters</a>}
        </div>
      </form>
    </>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  label: string;
  values: readonly T[];
  chosen: string | undefined;
  labelOf?: (value: T) => string;
}

function Choice<T extends string>({ name, label, values, chosen, labelOf = codeLabel }: ChoiceProps<T>) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
        <option value="">Any</option>
        {values.map((value) => (
          <option key={value} value={value} selected={value === chosen}>
            {labelOf(value)}
          </option>
        ))}
      </select>
    </div>
  );
}

function NoContacts({ total, more }: { total: number | undefined; more: boolean }) {
  const { may } = usePageContext();
  if (total === undefined) {
    return (
      <Empty title={more ? "No matches yet" : "No matches"}>
        <p>
          {more ? "Searched 10,000 contacts. Select Older to search more." : "Remove a filter to see more contacts."}
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No contacts yet">
      <p>Contacts are the people you sell to.</p>
      {may("create_contact") && (
        <p>
          Add one above, or <ImportLink />.
        </p>
      )}
    </Empty>
  );
}

function ImportLink() {
  const { href } = usePageContext();
  return <a href={href("/contacts/import")}>import a CSV file</a>;
}

/** Sample contacts are invented, so they are removed together. */
function RemoveSamples() {
  return (
    <Confirm does="remove_sample_contacts" opens="Remove sample contacts…" submit="Remove sample contacts" danger>
      <p>The sample contacts are archived, and their sequences stop.</p>
    </Confirm>
  );
}

function Found({ text, count }: { text: string; count: number }) {
  const { href } = usePageContext();
  const matches =
    count === MAX_FOUND
      ? `${MAX_FOUND} newest matches`
      : count === 0
        ? "No matches"
        : counted(count, "match", "matches");
  return (
    <p class="bar">
      <span>
        {matches} for <strong>{text}</strong>
        {count === 0 && ". Try the first letters of a name, email or company."}
      </span>
      <a href={href("/contacts")}>Clear search</a>
    </p>
  );
}

function Actions() {
  const { may, href } = usePageContext();
  return (
    <div class="bar-inline">
      {may("import_text") && (
        <a class="button" href={href("/contacts/import")}>
          Import
        </a>
      )}
      <NewContact />
    </div>
  );
}

function NewContact() {
  return (
    <Confirm does="create_contact" then="contacts/{id}" opens="Add contact…" submit="Add contact" primary align="right">
      <TextField name="first_name" label="First name" />
      <TextField name="last_name" label="Last name" />
      <TextField name="email" type="email" label="Email" />
      <TextField name="company" label="Company" />
      <TextField name="job_title" label="Job title" />
      <TextField name="socialnet_url" type="url" label="Profile URL" />
    </Confirm>
  );
}
