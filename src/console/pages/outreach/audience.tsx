/** @jsxRuntime automatic @jsxImportSource preact */

import { createHmac } from "node:crypto";
import { Problem } from "../../../core/problem.ts";
import { LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, CursorPager, Empty, Section } from "../../ui/basics.tsx";
import { Checks } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { SenderMissing } from "./enrollments.tsx";
import { Messages } from "./messages.tsx";
import {
  columnsOf,
  isFlagged,
  type Previewed,
  RecipientHeads,
  RecipientRow,
  type Shown,
  ShownRecipients,
  useChangedRecipients,
} from "./recipients.tsx";
import { SentAs } from "./sender.tsx";
import { Steps } from "./steps.tsx";

const MAX_AUDIENCE = 100;
const MAX_FOUND = 50;

interface Filter {
  stage?: string;
  tag?: string;
}

/** A search takes a text alone, so its results are filtered here. */
const matches = ({ lifecycle, tags }: { lifecycle: string | null; tags: string[] | null }, { stage, tag }: Filter) =>
  (stage === undefined || lifecycle === stage) && (tag === undefined || (tags ?? []).includes(tag));

/** The id of the form that approves. */
const FORM = "approve_sequence";

/** The search, and the contacts that were selected before it: from the form that was sent, or from the address. */
function askedOf({ draft, query, session }: PageContext) {
  const kept = (hash: string) => keptOf(hash, session.hash);
  const one = (name: string) => (draft === undefined ? query.get(name) : draft.get(`_${name}`)?.[0]) ?? "";
  const ids = draft === undefined ? one("ids").split(",") : (draft.get("contact_ids:list") ?? []);
  const found = ids.map((id) => SELECTED.exec(id)?.slice(1)).filter((parts) => parts !== undefined);
  const selected = [...new Set(found.map(([id = ""]) => id))].slice(0, MAX_AUDIENCE);
  const hashes = draft?.get("copy_hashes:hashes")?.map((text) => {
    const [id = "", hash = ""] = text.split(" ");
    return [id, hash === "" ? "" : kept(hash)];
  });
  const read = new Map((hashes ?? found).flatMap(([id = "", hash = ""]) => (hash === "" ? [] : [[id, hash]])));
  const sent = draft?.get("steps_hash")?.[0];
  const steps = sent === undefined ? (query.get("steps") ?? undefined) : kept(sent);
  return { text: one("q").trim().slice(0, 200), stage: one("stage"), tag: one("tag"), selected, read, steps, kept };
}

/** A selected contact in an address: its id, and the short form of the hash that the member read. */
const SELECTED = /^([0-9a-f-]{36})(?:\.([0-9a-f]+))?$/;
/**
 * The short form of a hash, so that a hundred fit into an address. The session is its key, so no one can search for two
 * values with the same short form.
 */
const keptOf = (hash: string, key: Buffer) =>
  createHmac("sha256", key).update(`audience ${hash}`).digest("hex").slice(0, 16);

/** Selects the recipients of a sequence from a search or from a page of the list. */
export const audience = screen({
  path: "/sequences/:id/audience",
  needs: "approve_sequence",
  forms: ["approve_sequence"],
  async load(ctx) {
    const asked = askedOf(ctx);
    const { text, selected, read, kept } = asked;
    const { data: sequence } = await ctx.call("get_sequence", { sequence_id: ctx.params.id ?? "" });
    const filter = { stage: LIFECYCLE.find((stage) => stage === asked.stage), tag: asked.tag };
    const given = { ...(filter.stage && { stage: filter.stage }), ...(filter.tag && { tag: filter.tag }) };
    const before = ctx.query.get("before") ?? undefined;
    const { data: tags } = await ctx.call("list_contact_tags", {});
    const page =
      text === ""
        ? await ctx.call("filter_contacts", {
            ...given,
            ...(before && { before }),
            limit: Math.max(1, MAX_AUDIENCE - selected.length),
          })
        : await ctx.call("search_contacts", { text, limit: MAX_FOUND });
    const found = page.data.filter((contact) => matches(contact, given)).map(({ id }) => id);
    const preview = async (ids: readonly string[]) => {
      const contact_ids = [...new Set(ids)].slice(0, MAX_AUDIENCE);
      if (contact_ids.length === 0) return undefined;
      return (await ctx.call("preview_audience", { sequence_id: sequence.id, contact_ids })).data;
    };
    // Selected contacts come first, also where they don't match. One may be archived since.
    const previewed = await preview([...selected, ...found]).catch((error: unknown) => {
      if (error instanceof Problem && selected.length > 0) return preview(found);
      throw error;
    });
    const cut = text !== "" && page.data.length === MAX_FOUND;
    const ids = selected.map((id) => [id, ...(read.has(id) ? [read.get(id)] : [])].join("."));
    const query = { q: text || undefined, ...given, ids: ids.join(",") || undefined, steps: asked.steps };
    const isOther = ({ contact_id: id, copy_hash }: Shown) => read.has(id) && read.get(id) !== kept(copy_hash);
    const stepsChanged = asked.steps !== undefined && asked.steps !== kept(sequence.steps_hash);
    const changed = (previewed?.contacts ?? []).filter(isOther).map(({ contact_id }) => contact_id);
    const leadsTo = ctx.draft && { path: `/sequences/${sequence.id}/audience` as const, query };
    const next = page.meta?.next ?? null;
    return { sequence, text, given, tags, previewed, selected, changed, stepsChanged, cut, next, leadsTo };
  },
  leadsTo: ({ leadsTo }) => leadsTo,
  up: ({ sequence }) => sequence.name,
  title: ({ sequence }) => `Approve audience for ${sequence.name}`,
  view: ({ sequence, text, given, tags, previewed, selected, changed, stepsChanged, cut, next }, { href, path }) => (
    <div class="audience">
      <div class="what">
        <p class="quiet">
          Approving locks in the contacts and the text. The contacts can be enrolled after you activate the audience.
          Nothing is sent yet.
        </p>
        {stepsChanged && (
          <p class="needs-note" role="alert">
            The steps or the sender changed after you read them. Review them again, then select the contacts.
          </p>
        )}
        <Section title="Steps">
          <Steps steps={sequence.steps} />
        </Section>
        {previewed !== undefined && <SentAs sender={previewed.sender} steps={sequence.steps} />}
      </div>
      <div class="who">
        <SenderMissing steps={sequence.steps} />
        {/* Its fields belong to the form below, so that contacts stay selected when others are searched. */}
        <div class="sieve" role="search" aria-label="Find contacts">
          <div class="field">
            <label for="audience-q">Email, name or company</label>
            <input type="search" id="audience-q" form={FORM} name="_q" value={text} maxLength={200} />
          </div>
          <div class="field">
            <label for="audience-stage">Stage</label>
            <select id="audience-stage" form={FORM} name="_stage">
              <option value="">Any</option>
              {LIFECYCLE.map((stage) => (
                <option key={stage} value={stage} selected={stage === given.stage}>
                  {codeLabel(stage)}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="audience-tag">Tag</label>
            <select id="audience-tag" form={FORM} name="_tag">
              <option value="">Any</option>
              {tags.map((tag) => (
                <option key={tag} value={tag} selected={tag === given.tag}>
                  {tag}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" form={FORM} name="_again" value="find" formNoValidate>
            Find <span class="hidden">contacts</span>
          </button>
        </div>
        {cut && (
          <p class="hint">
            The list shows at most the {MAX_FOUND} newest matches of the search. Stage and tag filter only these
            matches. If a contact is missing, type more of their name.
          </p>
        )}
        {previewed === undefined ? (
          <Form does="approve_sequence" label="Audience">
            <Empty title="No matching contacts">
              <p>
                <a href={href(path)}>Clear filters</a>
              </p>
            </Empty>
          </Form>
        ) : (
          <Approve
            sequence={sequence}
            contacts={previewed.contacts}
            selected={stepsChanged ? [] : selected}
            changedSince={changed}
            more={next !== null}
          />
        )}
        <CursorPager next={next} />
      </div>
    </div>
  ),
});

const PAGE_HINT =
  " You approve one page at a time. Approve this page before you open the next one. Each approval is a separate audience.";

interface ApproveProps {
  sequence: DataOf<"get_sequence">;
  contacts: readonly Previewed[];
  selected: readonly string[];
  /** Selected contacts who changed while others were searched. */
  changedSince: readonly string[];
  /** There is another page of contacts. */
  more: boolean;
}

function Approve({ sequence, contacts, selected, changedSince, more }: ApproveProps) {
  const { failed } = usePageContext();
  const refused = useChangedRecipients(contacts);
  const changed = failed === undefined ? new Set(changedSince) : refused;
  const columns = columnsOf(contacts);
  return (
    <Form does="approve_sequence" then={`sequences/${sequence.id}`} class="card counts" label="Audience">
      <Hidden name="sequence_id" value={sequence.id} />
      <Hidden name="steps_hash" value={sequence.steps_hash} />
      <ShownRecipients contacts={contacts.filter(isSelectable)} changed={changed} />
      <Checks
        name="contact_ids"
        class={`recipients with-${columns.length}`}
        changed={changed}
        kept={selected}
        label="Contacts"
        hint={`These are the exact addresses and values that the messages will use.${more ? PAGE_HINT : ""}`}
        choices={choicesOf(contacts, columns)}
        parts={PARTS}
      />
      <div class="foot">
        <button type="submit" class="primary" data-needs-checked>
          Approve audience
        </button>
        <span class="ticked quiet" />
      </div>
    </Form>
  );
}

/**
 * The groups of contacts, in their order. Those to check come after the others, so that they are not selected by
 * accident. A contact whom an approval covers as they are now can't be selected: another one would change nothing.
 */
const GROUPS = {
  again: { selectable: true },
  new: { selectable: true },
  check: { selectable: true },
  before: { selectable: true },
  covered: { selectable: false },
  barred: { selectable: false },
} as const;
type Group = keyof typeof GROUPS;

function groupOf(contact: Previewed): Group {
  const { suppressed, in_sequence } = contact;
  if (suppressed) return "barred";
  if (in_sequence?.covered) return "covered";
  if (isFlagged(contact)) return "check";
  if (in_sequence === null) return "new";
  return in_sequence.state === "ended" ? "before" : "again";
}

const isSelectable = (contact: Previewed) => GROUPS[groupOf(contact)].selectable;

/** A contact of the list, as a checkbox. */
interface Row {
  contact: Previewed;
  columns: readonly string[];
  value: string;
  label: string;
  group: Group;
  disabled: boolean;
  /** The heads of the columns are above the first row of all. */
  isFirst: boolean;
  /** The heading of a group is above its first contact, and says how many the group has. */
  startsGroupOf: number | undefined;
}

function choicesOf(contacts: readonly Previewed[], columns: readonly string[]): Row[] {
  const rows: Row[] = [];
  for (const group of Object.keys(GROUPS) as Group[]) {
    const members = contacts.filter((contact) => groupOf(contact) === group);
    for (const contact of members) {
      rows.push({
        contact,
        columns,
        value: contact.contact_id,
        label: contact.name,
        group,
        disabled: !GROUPS[group].selectable,
        isFirst: rows.length === 0,
        startsGroupOf: contact === members[0] ? members.length : undefined,
      });
    }
  }
  return rows;
}

const PARTS = {
  before: ({ columns, group, isFirst, startsGroupOf }: Row) => (
    <>
      {isFirst && <RecipientHeads columns={columns} />}
      {startsGroupOf !== undefined && <GroupHeading group={group} count={startsGroupOf} />}
    </>
  ),
  hint: ({ contact, columns }: Row) => <RecipientRow contact={contact} columns={columns} />,
  more: ({ contact }: Row) => (
    <details class="more">
      <summary>
        Messages<span class="hidden"> to {contact.name}</span>
      </summary>
      <Messages messages={contact.messages} />
    </details>
  ),
};

/** What a group is, and the button that selects it. */
function GroupHeading({ group, count }: { group: Group; count: number }) {
  return (
    <div class="flagged">
      <p>
        <GroupText group={group} count={count} />
      </p>
      {GROUPS[group].selectable && (
        <button type="button" class="plain" data-tick={group} hidden>
          Select {counted(count, "contact")}
        </button>
      )}
    </div>
  );
}

function GroupText({ group, count }: { group: Group; count: number }) {
  const contacts = counted(count, "contact");
  switch (group) {
    case "again":
      return (
        <>
          <Chip tone="needs">Approve again</Chip> {contacts} {count === 1 ? "needs" : "need"} a new approval for this
          sequence.
        </>
      );
    case "new":
      return (
        <>
          <strong>New ({count})</strong> Not in this sequence yet.
        </>
      );
    case "check":
      return (
        <>
          <Chip tone="needs">Check first</Chip>{" "}
          {count === 1
            ? "This contact replied, may have opted out, or has the same profile URL as a contact who replied or opted out."
            : `Each of these ${contacts} replied, may have opted out, or has the same profile URL as a contact who replied or opted out.`}
        </>
      );
    case "before":
      return (
        <>
          <strong>In this sequence before ({count})</strong> After you activate the audience,{" "}
          {count === 1 ? "enroll this contact on the contact page" : "enroll each of them on their contact page"}.
        </>
      );
    case "covered":
      return (
        <>
          <strong>Already approved ({count})</strong> Nothing has changed since their approval, so they don't need a new
          one.
        </>
      );
    case "barred":
      return (
        <>
          <Chip tone="stopped">Do not contact</Chip> {contacts} can't be approved.
        </>
      );
  }
}
