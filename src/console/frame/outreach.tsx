/** @jsxRuntime automatic @jsxImportSource preact */
import { Confirm } from "../parts/confirm.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { useVisit } from "../visit.ts";

/**
 * Pausing is one click from every page; resuming asks. Both states are in the page, so that an open one turns with the
 * switch.
 */
export function Outreach() {
  const { workspace, may } = useVisit();
  const { paused_at, pause_reason } = workspace.outreach;
  const isPaused = paused_at !== null;
  return (
    <div class="outreach" role="group" aria-label="Outreach">
      <div class="running" hidden={isPaused}>
        <span class="state">
          <Icon name="running" /> <span>Running</span>
        </span>
        <Form does="pause_outreach" class="inline" label="Pause outreach">
          <button type="submit">Pause outreach</button>
        </Form>
      </div>
      <div class="paused" hidden={!isPaused}>
        <span class="state" title={pause_reason ?? undefined}>
          <Icon name="paused" /> <span>Paused</span>
        </span>
        {may("resume_outreach") && (
          <Confirm does="resume_outreach" opens="Resume…" submit="Resume outreach" align="right">
            <p>What became due meanwhile is sent as the sending policy allows.</p>
            <p class="quiet" hidden={pause_reason === null}>
              Paused because: <span data-pause-reason>{pause_reason}</span>
            </p>
            <TextField name="reason" kind="optional" label="Why now" hint="For the audit; may be left out." />
          </Confirm>
        )}
      </div>
      <span class="hidden" role="status" data-outreach-said />
    </div>
  );
}
