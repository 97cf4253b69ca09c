/** @jsxRuntime automatic @jsxImportSource preact */
import { BILLING_STATES } from "../../../domain/billing.ts";
import { amount } from "../../figures.ts";
import { inWords } from "../../names.ts";
import { Chip, Facts, Section, Time } from "../../parts/basics.tsx";
import { Select, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Meter } from "../../parts/meter.tsx";
import { useVisit } from "../../visit.ts";

/** How much of an allowance is used: in words, and as a bar where there is a limit. */
function Used({ what, used, allowed }: { what: string; used: number; allowed: number | null }) {
  const words = `${amount(used)} ${allowed === null ? "used, no limit" : `of ${amount(allowed)}`}`;
  const share = allowed === null ? 0 : allowed === 0 ? 1 : used / allowed;
  return (
    <div class="used">
      <span>{what}</span>
      <span class={share >= 1 ? "stopped" : "quiet"}>{share >= 1 ? `${words}: used up` : words}</span>
      {allowed !== null && (
        <Meter label={`${what}: ${words}`} parts={[{ share, tone: share >= 1 ? "stopped" : "accent" }]} />
      )}
    </div>
  );
}

/** The name of the plan that a workspace has from its beginning. */
const OWN = "self_hosted";

/** Folded where nobody is billed for anything: on a server of one's own, without limits. */
export function PlanAndBilling() {
  const { workspace, failed } = useVisit();
  const { plan, billing } = workspace;
  const isFree = plan.name === OWN && plan.contact_allowance === null && plan.socialnet_allowance === null;
  const both = (
    <div class="tiles wide">
      <Plan />
      <Billing />
    </div>
  );
  if (!isFree || billing.read_only_reason !== null || billing.ends_at !== null) return both;
  return (
    <details class="more" open={failed?.form === "set_plan" || failed?.form === "set_billing"}>
      <summary>Plan and billing</summary>
      {both}
    </details>
  );
}

function Plan() {
  const { workspace, may } = useVisit();
  const { name, contact_allowance, socialnet_allowance } = workspace.plan;
  const { contacts, socialnet_actions } = workspace.usage;
  return (
    <Section title="Plan">
      <Used what="Live contacts" used={contacts} allowed={contact_allowance} />
      <Used what="Social actions this month" used={socialnet_actions} allowed={socialnet_allowance} />
      {may("set_plan") ? (
        <Form does="set_plan" class="card" label="Plan">
          <TextField name="name" label="Name of the plan" value={name} />
          <TextField
            name="contact_allowance"
            kind="limit"
            type="number"
            label="Live contacts at most"
            hint="Left empty, there is no limit."
            value={contact_allowance}
          />
          <TextField
            name="socialnet_allowance"
            kind="limit"
            type="number"
            label="Actions on the social network a month"
            hint="Left empty, there is no limit."
            value={socialnet_allowance}
          />
          <button type="submit">Set the plan</button>
        </Form>
      ) : (
        <Facts facts={[["Plan", name === OWN ? "On a server of your own" : name]]} />
      )}
    </Section>
  );
}

function Billing() {
  const { workspace, may } = useVisit();
  const { state, ends_at, read_only_reason } = workspace.billing;
  return (
    <Section
      title="Billing"
      action={read_only_reason !== null && <Chip tone="stopped">read-only: {read_only_reason}</Chip>}
    >
      {may("set_billing") ? (
        <Form does="set_billing" class="card" label="Billing">
          <Select
            name="state"
            label="State"
            choices={BILLING_STATES.map((value) => ({ value, label: inWords(value) }))}
            value={state}
          />
          <TextField
            name="ends_at"
            kind="moment"
            type="datetime-local"
            label="Ends, in UTC"
            hint="Only for a trial or a financed term."
            value={ends_at?.slice(0, 16) ?? ""}
          />
          <button type="submit">Set the billing</button>
        </Form>
      ) : (
        <Facts
          facts={[
            ["State", inWords(state)],
            ["Ends", ends_at === null ? "no end" : <Time at={ends_at} />],
          ]}
        />
      )}
    </Section>
  );
}
