/** @jsxRuntime automatic @jsxImportSource preact */

import { revealHidden } from "../../../domain/text/hidden.ts";
import type { DataOf } from "../../app/operations.ts";
import { inWords } from "../../ui/labels.ts";

/** The steps as somebody approves them: what hides in their text is shown by its number. */
export function Steps({ steps }: { steps: DataOf<"get_sequence">["steps"] }) {
  return (
    <ol class="stack">
      {steps.map((step, i) => (
        <li class="step" key={i}>
          <div>
            <strong>
              {i + 1}. {inWords(step.type)}
            </strong>{" "}
            <span class="quiet">
              {step.type === "wait"
                ? `${step.days} days`
                : step.delay_days > 0
                  ? `after ${step.delay_days} days`
                  : "at once"}
            </span>
          </div>
          {step.type === "email" && <p>{seen(step.subject)}</p>}
          {step.type !== "wait" && (
            <div class="copytext">
              {step.type === "socialnet_connect" ? seen(step.note) || "No note." : seen(step.body)}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function seen(text: string): string {
  return revealHidden(text) ?? text;
}
