/** @jsxRuntime automatic @jsxImportSource preact */
import { COMMAND } from "../../command.ts";
import { Confirm } from "../parts/confirm.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { useVisit, type Visit } from "../visit.ts";

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
        <Running {...workspace.deployment} />
        <Form does="pause_outreach" class="inline" label="Pause outreach">
          <button type="submit">
            Pause<span class="pause-what"> outreach</span>
          </button>
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

/** Not paused; and whether the server lets anything out, which is for whoever runs it to say. */
function Running({ outbound_gate, socialnet_execution }: Visit["workspace"]["deployment"]) {
  const shut = [
    ...(outbound_gate === "closed" ? [["E-mail and sequences", "ROSTRUM_OUTBOUND_GATE=open"] as const] : []),
    ...(socialnet_execution === "off"
      ? [["Actions on the social network", "ROSTRUM_SOCIALNET_EXECUTION=on"] as const]
      : []),
  ];
  if (shut.length === 0) {
    return (
      <span class="state">
        <Icon name="running" /> <span>Running</span>
      </span>
    );
  }
  return (
    <details class="menu shut">
      <summary class="state">
        <Icon name="needs" /> <span>{shut.length === 2 ? "Sends nothing" : "Sends in part"}</span>
      </summary>
      <div class="sheet">
        <p>
          Outreach is not paused, but whoever runs this server has not let everything out. It does so when it is started
          again with these before its command:
        </p>
        <ul class="bullets">
          {shut.map(([what, setting]) => (
            <li key={what}>
              {what}: <code>{setting}</code>
            </li>
          ))}
        </ul>
        <p>
          As in <code>{`${shut.map(([, setting]) => setting).join(" ")} ${COMMAND} start`}</code>
        </p>
      </div>
    </details>
  );
}
