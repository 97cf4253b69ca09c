/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { counted } from "../../ui/format.ts";
import { codeLabel, revealed } from "../../ui/labels.ts";

/** The steps as an approver sees them, with hidden characters shown by their code. */
export function Steps({ steps }: { steps: DataOf<"get_sequence">["steps"] }) {
  return (
    <ol class="stack">
      {steps.map((step, i) => (
        <li class="step" key={i}>
          <div>
            <strong>
              {i + 1}. {codeLabel(step.type)}
            </strong>{" "}
            <span class="quiet">
              {step.type === "wait"
                ? counted(step.days, "day")
                : step.delay_days > 0
                  ? `after ${counted(step.delay_days, "day")}`
                  : "no delay"}
            </span>
          </div>
          {step.type === "email" && <p class="exact">{revealed(step.subject)}</p>}
          {step.type !== "wait" && (
            <div class="copytext letter-text quoted">
              {step.type === "socialnet_connect" ? revealed(step.note) || "No note" : revealed(step.body)}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
