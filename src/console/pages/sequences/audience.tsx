/** @jsxRuntime automatic @jsxImportSource preact */
import { nameOf, pageOf } from "../../names.ts";
import { Empty, Pager, Section } from "../../parts/basics.tsx";
import { Checks, Hidden } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { Steps } from "./steps.tsx";

const MOST = 50;

/** Whom a sequence may be sent to: chosen by hand from what a search or a page of the list shows. */
export const audience = screen({
  path: "/sequences/:id/audience",
  needs: "approve_sequence",
  forms: ["approve_sequence"],
  async load(visit) {
    const text = visit.query.get("q")?.trim().slice(0, 200) ?? "";
    const { data: sequence } = await visit.call("get_sequence", { sequence_id: visit.params.id ?? "" });
    const page = text === "" ? await visit.call("list_contacts", pageOf(visit, MOST)) : undefined;
    const found = page?.data ?? (await visit.call("search_contacts", { text, limit: MOST })).data;
    return { sequence, text, found, meta: page?.meta };
  },
  title: ({ sequence }) => `Approve an audience of ${sequence.name}`,
  view: ({ sequence, text, found, meta }, { href, path }) => (
    <>
      <p class="lead">
        You approve the sequence as it reads now, for the contacts that you tick. Nothing goes out by that: applying the
        approval is a second act, on the sequence's page.
      </p>
      <Section title="Steps">
        <Steps steps={sequence.steps} />
      </Section>
      <form
        method="get"
        action={href(path)}
        class="inline seek"
        role="search"
        aria-label="Find contacts for the audience"
      >
        <div class="field">
          <label for="audience-q">Find by address, name or company</label>
          <input type="search" id="audience-q" name="q" value={text} />
        </div>
        <button type="submit">Find</button>
      </form>
      {found.length === 0 ? (
        <Empty title="Nobody is found" />
      ) : (
        <Form does="approve_sequence" then={`sequences/${sequence.id}`} class="card" label="The audience">
          <Hidden name="sequence_id" value={sequence.id} />
          <Hidden name="steps_hash" value={sequence.steps_hash} />
          <Checks
            name="contact_ids"
            label="Contacts"
            choices={found.map((contact) => ({
              value: contact.id,
              label: nameOf(contact),
              hint: [contact.company, contact.email].filter(Boolean).join(", "),
            }))}
          />
          <button type="submit" class="primary">
            Approve the sequence for these contacts
          </button>
        </Form>
      )}
      {meta !== undefined && <Pager meta={meta} />}
    </>
  ),
});
