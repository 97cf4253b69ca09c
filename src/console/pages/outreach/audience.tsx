/** @jsxRuntime automatic @jsxImportSource preact */

import { LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import type { DataOf } from "../../app/operations.ts";
import { screen } from "../../app/screen.ts";
import { CursorPager, Empty, Section } from "../../ui/basics.tsx";
import { Checks } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { SenderMissing } from "./enrollments.tsx";
import { Messages } from "./messages.tsx";
import { RecipientValues, type Shown, ShownRecipients, useChangedRecipients } from "./recipients.tsx";
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

/** Selects the recipients of a sequence from a search or from a page of the list. */
export const audience = screen({
  path: "/sequences/:id/audience",
  needs: "approve_sequence",
  forms: ["approve_sequence"],
  async load(ctx) {
    const text = ctx.query.get("q")?.trim().slice(0, 200) ?? "";
    const { data: sequence } = await ctx.call("get_sequence", { sequence_id: ctx.params.id ?? "" });
    const filter = {
      stage: LIFECYCLE.find((stage) => stage === ctx.query.get("stage")),
      tag: ctx.query.get("tag"),
    };
    const given = { ...(filter.stage && { stage: filter.stage }), ...(filter.tag && { tag: filter.tag }) };
    const before = ctx.query.get("before") ?? undefined;
    const { data: tags } = await ctx.call("list_contact_tags", {});
    const page =
      text === ""
        ? await ctx.call("filter_contacts", { ...given, ...(before && { before }), limit: MAX_AUDIENCE })
        : await ctx.call("search_contacts", { text, limit: MAX_FOUND });
    const contact_ids = page.data.filter((contact) => matches(contact, given)).map(({ id }) => id);
    const previewed =
      contact_ids.length === 0
        ? undefined
        : (await ctx.call("preview_audience", { sequence_id: sequence.id, contact_ids })).data;
    const cut = text !== "" && page.data.length === MAX_FOUND;
    return { sequence, text, given, tags, previewed, cut, next: page.meta?.next ?? null };
  },
  up: ({ sequence }) => sequence.name,
  title: ({ sequence }) => `Approve audience for ${sequence.name}`,
  view: ({ sequence, text, given, tags, previewed, cut, next }, { href, path }) => (
    <>
      <p class="lead">
        Choose recipients. Approving locks in the contacts and the text. The contacts can be enrolled after you activate
        the audience. Nothing is sent yet.
      </p>
      <SenderMissing steps={sequence.steps} />
      <Section title="Steps">
        <Steps steps={sequence.steps} />
      </Section>
      {previewed !== undefined && <SentAs sender={previewed.sender} steps={sequence.steps} />}
      <form method="get" action={href(path)} class="sieve" role="search" aria-label="Find contacts">
        <div class="field">
          <label for="audience-q">Email, name or company</label>
          <input type="search" id="audience-q" name="q" value={text} maxLength={200} />
        </div>
        <div class="field">
          <label for="audience-stage">Stage</label>
          <select id="audience-stage" name="stage">
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
          <select id="audience-tag" name="tag">
            <option value="">Any</option>
            {tags.map((tag) => (
              <option key={tag} value={tag} selected={tag === given.tag}>
                {tag}
              </option>
            ))}
          </select>
        </div>
        <button type="submit">
          Find <span class="hidden">contacts</span>
        </button>
      </form>
      {cut && (
        <p class="hint">
          Only the {MAX_FOUND} newest matches of the search are checked. If a contact is missing, type more of their
          name.
        </p>
      )}
      {previewed === undefined ? (
        <Empty title="No matching contacts">
          <p>
            <a href={href(path)}>Clear filters</a>
          </p>
        </Empty>
      ) : (
        <Approve sequence={sequence} contacts={previewed.contacts} more={next !== null} />
      )}
      <CursorPager next={next} />
    </>
  ),
});

const PAGE_HINT =
  " You approve one page at a time. Approve this page before you open the next one. Each approval is a separate audience.";

interface ApproveProps {
  sequence: DataOf<"get_sequence">;
  contacts: readonly Shown[];
  /** There is another page of contacts. */
  more: boolean;
}

function Approve({ sequence, contacts, more }: ApproveProps) {
  const changed = useChangedRecipients(contacts);
  return (
    <Form does="approve_sequence" then={`sequences/${sequence.id}`} class="card counts" label="Audience">
      <Hidden name="sequence_id" value={sequence.id} />
      <Hidden name="steps_hash" value={sequence.steps_hash} />
      <ShownRecipients contacts={contacts} />
      <Checks
        name="contact_ids"
        changed={changed}
        label="Contacts"
        hint={`These are the exact addresses and values that the messages will use.${more ? PAGE_HINT : ""}`}
        choices={contacts.map((contact) => ({
          value: contact.contact_id,
          label: contact.name,
          hint: <RecipientValues contact={contact} />,
          more: (
            <details class="more">
              <summary>
                Messages<span class="hidden"> to {contact.name}</span>
              </summary>
              <Messages messages={contact.messages} />
            </details>
          ),
        }))}
      />
      <div class="foot">
        <button type="submit" class="primary">
          Approve audience
        </button>
        <span class="ticked quiet" />
        <button type="button" class="plain" data-tick="contact_ids" hidden>
          Select all on this page
        </button>
      </div>
    </Form>
  );
}
