/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { screen } from "../../app/screen.ts";
import { Address, Chip, Empty, Facts, Section } from "../../ui/basics.tsx";
import { codeLabel, nameOf, revealed } from "../../ui/labels.ts";
import { Chooser, chooseContact } from "../contacts/chooser.tsx";
import { noValueText } from "./hold-text.ts";

type PreviewedStep = DataOf<"preview_sequence">["steps"][number];

/** The sequence as one contact would get it. */
export const preview = screen({
  path: "/sequences/:id/preview",
  needs: "preview_sequence",
  async load(ctx) {
    const { call, params } = ctx;
    const sequence_id = params.id ?? "";
    const [{ data: sequence }, choice] = await Promise.all([
      call("get_sequence", { sequence_id }),
      chooseContact(ctx, true),
    ]);
    const contact_id = choice.chosen?.id;
    const previewed =
      contact_id === undefined ? undefined : await call("preview_sequence", { sequence_id, contact_id });
    return { sequence, choice, previewed: previewed?.data };
  },
  up: ({ sequence }) => sequence.name,
  title: ({ sequence }) => `Preview ${sequence.name}`,
  view: ({ choice, previewed }, { href }) => (
    <>
      <p class="lead">See the messages that a contact would get now. Nothing is sent.</p>
      <Chooser title="Contact" {...choice} />
      <Section title={choice.chosen === undefined ? "Steps" : `Messages to ${nameOf(choice.chosen)}`}>
        {previewed === undefined ? (
          <Empty title="No contact to preview">
            <p>
              Search for another contact, or <a href={href("/contacts")}>add one</a>.
            </p>
          </Empty>
        ) : (
          <div class="stack">
            {previewed.suppressed && (
              <p class="needs-note">This contact is on the do-not-contact list. Nothing would be sent.</p>
            )}
            <ol class="stack">
              {previewed.steps.map((step) => (
                <Step key={step.step} preview={step} />
              ))}
            </ol>
          </div>
        )}
      </Section>
    </>
  ),
});

function Step({ preview }: { preview: PreviewedStep }) {
  const { step, type, held_reason, unfilled, to, subject, text, html } = preview;
  return (
    <li class="step">
      <div class="bar">
        <strong>
          {step + 1}. {codeLabel(type)}
        </strong>
        {held_reason !== null && <Chip tone="needs">Would be put on hold</Chip>}
      </div>
      {held_reason !== null && (
        <p class="needs-note">
          {held_reason === "no_address" && "This contact has no email address. "}
          {held_reason === "no_profile" && "This contact has no profile URL. "}
          {unfilled.length > 0 && `${noValueText(unfilled)} `}
          Add what is missing, then approve this contact for the sequence.
        </p>
      )}
      {type === "wait" ? (
        <p class="quiet">Nothing is sent.</p>
      ) : (
        <Facts
          facts={[
            ["To", <Address text={to} />],
            ...(subject === null ? [] : [["Subject", <span class="exact">{revealed(subject)}</span>] as const]),
          ]}
        />
      )}
      {text !== null && <div class="copytext letter-text quoted">{revealed(text) || "No note"}</div>}
      {html !== null && (
        <details class="more">
          <summary>HTML version</summary>
          <iframe class="letter" title={`HTML version of step ${step + 1}`} sandbox="" srcdoc={html} />
          <pre class="copytext">{revealed(html)}</pre>
        </details>
      )}
    </li>
  );
}
