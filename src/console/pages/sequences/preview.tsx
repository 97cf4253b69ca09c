/** @jsxRuntime automatic @jsxImportSource preact */
import { revealHidden } from "../../../domain/hidden-text.ts";
import { HOLDS } from "../../../domain/sending.ts";
import type { DataOf } from "../../answers.ts";
import { type Contact, inWords, nameOf } from "../../names.ts";
import { Chip, Empty, Facts, Section } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";

const FOUND = 10;

type Seen = DataOf<"preview_sequence">["steps"][number];

/** The sequence as one contact would get it: they are found by a search, and begin with the newest. */
export const preview = screen({
  path: "/sequences/:id/preview",
  needs: "preview_sequence",
  async load(visit) {
    const { call, query } = visit;
    const sequence_id = visit.params.id ?? "";
    const text = query.get("q")?.trim().slice(0, 200) ?? "";
    const [{ data: sequence }, { data: found }] = await Promise.all([
      call("get_sequence", { sequence_id }),
      text === "" ? call("list_contacts", { limit: FOUND }) : call("search_contacts", { text, limit: FOUND }),
    ]);
    const asked = query.get("contact");
    const contact = asked === null ? found[0] : (await call("get_contact", { id: asked })).data;
    const steps =
      contact === undefined ? [] : (await call("preview_sequence", { sequence_id, contact_id: contact.id })).data.steps;
    return { sequence, text, found, contact, steps };
  },
  title: ({ sequence }) => `Preview ${sequence.name}`,
  view: ({ sequence, text, found, contact, steps }, { href }) => (
    <>
      <p class="lead">
        As it would go out now. Nothing is sent. <a href={href(`/sequences/${sequence.id}`)}>Back to the sequence</a>
      </p>
      <div class="sides">
        <div>
          {contact === undefined ? (
            <Empty title="Nobody to preview it for">
              <p>Add a contact, or look for another one.</p>
            </Empty>
          ) : (
            <ol class="stack">
              {steps.map((seen) => (
                <Step key={seen.step} seen={seen} />
              ))}
            </ol>
          )}
        </div>
        <Chooser text={text} found={found} chosen={contact} />
      </div>
    </>
  ),
});

function Chooser({ text, found, chosen }: { text: string; found: readonly Contact[]; chosen: Contact | undefined }) {
  const { href, path } = useVisit();
  return (
    <Section title="For whom">
      <form
        method="get"
        action={href(path)}
        class="inline seek"
        role="search"
        aria-label="Find a contact to preview for"
      >
        <div class="field">
          <label for="preview-q">Address, name or company</label>
          <input type="search" id="preview-q" name="q" value={text} maxLength={200} />
        </div>
        <button type="submit">Find</button>
      </form>
      {found.length === 0 && <p class="quiet">Nobody is found.</p>}
      <ul class="pick">
        {found.map((contact) => (
          <li key={contact.id}>
            <a
              href={href(path, { q: text || undefined, contact: contact.id })}
              aria-current={contact.id === chosen?.id ? "true" : undefined}
            >
              <strong>{nameOf(contact)}</strong>
              <span class="hint">{[contact.company, contact.email].filter(Boolean).join(", ")}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Step({ seen }: { seen: Seen }) {
  const { step, type, held_reason, unfilled, to, subject, text, html } = seen;
  return (
    <li class="step">
      <div class="bar">
        <strong>
          {step + 1}. {inWords(type)}
        </strong>
        {held_reason !== null && <Chip tone="needs">would wait for you</Chip>}
      </div>
      {held_reason !== null && (
        <p class="needs-note">
          {unfilled.length > 0 && `Nothing to put for ${unfilled.map((name) => `{{${name}}}`).join(", ")}. `}
          {HOLDS[held_reason]}
        </p>
      )}
      {type === "wait" ? (
        <p class="quiet">Nothing goes out.</p>
      ) : (
        <Facts facts={[["To", to], ...(subject === null ? [] : [["Subject", reveal(subject)] as const])]} />
      )}
      {text !== null && <div class="copytext">{reveal(text) || "No note."}</div>}
      {html !== null && (
        <details class="more">
          <summary>As HTML</summary>
          <iframe class="letter" title={`Step ${step + 1} as HTML`} sandbox="" srcdoc={html} />
          <pre class="copytext">{reveal(html)}</pre>
        </details>
      )}
    </li>
  );
}

function reveal(text: string): string {
  return revealHidden(text) ?? text;
}
