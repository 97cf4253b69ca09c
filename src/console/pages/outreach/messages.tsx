/** @jsxRuntime automatic @jsxImportSource preact */

import { Chip } from "../../ui/basics.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { noValueText } from "./hold-text.ts";
import type { Shown } from "./recipients.tsx";

/** Every message as this contact would get it, in full. */
export function Messages({ messages }: { messages: Shown["messages"] }) {
  return <ol class="stack">{messages.map(messageOf)}</ol>;
}

const messageOf = (step: Shown["messages"][number], i: number) => (
  <li key={i}>
    <p class="small">
      <strong>
        {i + 1}. {codeLabel(step.type)}
      </strong>
      {step.subject !== null && (
        <>
          : <span class="exact">{revealed(step.subject)}</span>
        </>
      )}
    </p>
    {step.unfilled.length > 0 && (
      <p class="small">
        <Chip tone="needs">Will be put on hold</Chip> {noValueText(step.unfilled)}
      </p>
    )}
    {step.text !== null && <div class="copytext letter-text">{revealed(step.text) || "No note"}</div>}
  </li>
);
