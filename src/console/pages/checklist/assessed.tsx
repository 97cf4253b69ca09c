/** @jsxRuntime automatic @jsxImportSource preact */
import { ASSESSMENT_STATES } from "../../../domain/checklist-status.ts";
import type { DataOf } from "../../answers.ts";
import { Time } from "../../parts/basics.tsx";
import { Form } from "../../parts/form.tsx";

const STATES = Object.entries(ASSESSMENT_STATES) as [keyof typeof ASSESSMENT_STATES, string][];

/** What the service says of so many items: it looks at what it holds, and most things happen elsewhere. */
const FOUND: Record<keyof typeof ASSESSMENT_STATES, (count: number) => string> = {
  done: (count) => `it saw ${count} done`,
  missing: (count) => `${count} missing`,
  unknown: (count) => `of ${count} it cannot tell`,
  not_applicable: (count) => `${count} ${count === 1 ? "does" : "do"} not apply`,
};

/** When the service last looked at everything, and what it found. */
export function Assessed({ assessment }: { assessment: DataOf<"get_assessment"> }) {
  const { assessed_at, catalog_version, states } = assessment;
  const found = STATES.filter(([state]) => states[state] > 0).map(([state]) => FOUND[state](states[state]));
  return (
    <div class="assessed">
      <p>
        {assessed_at === null ? (
          "Not assessed yet. Rostrum looks at the whole checklist once a day."
        ) : (
          <>
            Rostrum looked by itself <Time at={assessed_at} /> (catalog {catalog_version}): {found.join(", ")}.{" "}
            <span class="quiet">
              What people and agents recorded counts too, below; a person's word wins over what it saw.
            </span>
          </>
        )}
      </p>
      <Form does="run_assessment" class="inline" label="Assess the checklist">
        <button type="submit">Assess now</button>
      </Form>
    </div>
  );
}
