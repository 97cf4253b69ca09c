/** @jsxRuntime automatic @jsxImportSource preact */
import { ASSESSMENT_STATES } from "../../../domain/checklist-status.ts";
import type { DataOf } from "../../answers.ts";
import { Time } from "../../parts/basics.tsx";
import { Form } from "../../parts/form.tsx";

const STATES = Object.entries(ASSESSMENT_STATES) as [keyof typeof ASSESSMENT_STATES, string][];

/** When the service last looked at everything, and what it found. */
export function Assessed({ assessment }: { assessment: DataOf<"get_assessment"> }) {
  const { assessed_at, catalog_version, states } = assessment;
  const found = STATES.filter(([state]) => states[state] > 0).map(
    ([state, label]) => `${states[state]} ${label.toLowerCase()}`,
  );
  return (
    <div class="assessed">
      <p>
        {assessed_at === null ? (
          "Not assessed yet. Rostrum looks at the whole checklist once a day."
        ) : (
          <>
            Assessed <Time at={assessed_at} /> by catalog {catalog_version}: {found.join(", ")}.{" "}
            <span class="quiet">The reason stands with each item; a person's word wins over it.</span>
          </>
        )}
      </p>
      <Form does="run_assessment" class="inline" label="Assess the checklist">
        <button type="submit">Assess now</button>
      </Form>
    </div>
  );
}
