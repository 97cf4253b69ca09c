/** @jsxRuntime automatic @jsxImportSource preact */

import { BILLING_STATES } from "../../../domain/access/billing.ts";
import { toInput } from "../../app/form-data.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Section, Time } from "../../ui/basics.tsx";
import { Checks, Select, TextField } from "../../ui/fields.tsx";
import { EnterButton, Form, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { Meter } from "../../ui/status.tsx";
import { SettingsTabs } from "./tabs.tsx";

type Workspace = DataOf<"get_workspace">;

export const workspaceSettings = screen({
  path: "/settings/workspace",
  title: "Workspace",
  needs: "get_workspace",
  forms: ["set_setup_guide", "set_plan", "set_billing", "set_sending_policy", "set_own_proposals"],
  async load({ call, may }) {
    const [workspace, guide] = await Promise.all([
      call("get_workspace", {}),
      may("create_key") ? call("get_setup_guide", {}) : undefined,
    ]);
    return { workspace: workspace.data, guide: guide?.data };
  },
  view: ({ workspace, guide }) => (
    <>
      <SettingsTabs />
      <Facts
        facts={[
          ["Name", workspace.name],
          ["Created", <Time at={workspace.created_at} />],
        ]}
      />
      {guide?.hidden === true && !guide.done && (
        <Form does="set_setup_guide" class="inline" label="Setup guide" then="">
          <Hidden name="hidden" kind="flag" value="false" />
          <button type="submit">Show the setup guide on Today</button>
        </Form>
      )}
      <Sending policy={workspace.sending_policy} />
      <Review setting={workspace.own_proposals} />
      <section class="stack">
        <PlanAndBilling workspace={workspace} />
        <p class="hint">
          Workspace ID for the command line: <code>{workspace.id}</code>
        </p>
      </section>
    </>
  ),
});

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map((label, i) => ({
  value: String(i + 1),
  label,
}));

type Window = { days: number[]; from: string; to: string };

/** Whether people may approve their own proposals. */
function Review({ setting }: { setting: Workspace["own_proposals"] }) {
  const { may } = usePageContext();
  if (!may("set_own_proposals")) return null;
  return (
    <Section title="Review">
      <Form does="set_own_proposals" class="card" label="Review">
        <Select
          name="own_proposals"
          label="Approving your own proposals"
          hint="This also covers proposals from your API keys and agents. The audit log records every approval."
          choices={[
            { value: "allowed", label: "Allowed" },
            { value: "forbidden", label: "Require another teammate" },
          ]}
          value={setting}
        />
        <button type="submit">Save review setting</button>
      </Form>
    </Section>
  );
}

/** When email is sent, how much, and with which sender name. */
function Sending({ policy }: { policy: Workspace["sending_policy"] }) {
  const { may, draft, failed } = usePageContext();
  const { time_zone, windows, daily_cap, sender_name } = policy;
  if (!may("set_sending_policy")) {
    return (
      <Section title="Sending">
        <Facts
          facts={[
            ["Time zone", time_zone],
            ["Sending hours", windows.length === 0 ? "Always open" : windows.map(formatWindow).join(", ")],
            ["Daily limit", daily_cap ?? "No limit"],
            ["Sender name", sender_name ?? "Not set"],
          ]}
        />
      </Section>
    );
  }
  const typed = draft ?? (failed?.form === "set_sending_policy" ? failed.typed : undefined);
  const shown = typed === undefined ? windows : editedWindows(toInput(typed).windows, typed.get("_again")?.[0]);
  const kept = draft === undefined ? undefined : toInput(draft);
  return (
    <Section title="Sending">
      <Form does="set_sending_policy" class="card" label="Sending">
        <EnterButton>Save sending settings</EnterButton>
        <div class="pair">
          <TextField
            name="time_zone"
            label="Time zone"
            hint="An IANA name such as Europe/Berlin."
            value={String(kept?.time_zone ?? time_zone)}
          />
          <TextField
            name="daily_cap"
            kind="limit"
            type="number"
            label="Daily limit"
            hint="Sequence emails per day. Answers to replies count toward the limit, but are always sent. Leave blank for no limit."
            value={kept === undefined ? daily_cap : String(kept.daily_cap ?? "")}
          />
          <TextField
            name="sender_name"
            kind="nullable"
            label="Sender name"
            hint="Shown as the sender of emails, and replaces {{sender_name}} in messages. A change cancels the approvals of every sequence."
            value={kept === undefined ? sender_name : String(kept.sender_name ?? "")}
          />
        </div>
        {shown.length === 0 && <Hidden name="windows" kind="list" value="" isEdited />}
        {shown.map(({ days, from, to }, i) => (
          <div class="step" key={i}>
            <Checks
              name={`windows.${i}.days`}
              kind="numbers"
              label={`Sending hours ${i + 1}: days`}
              choices={DAYS}
              chosen={days.map(String)}
            />
            <div class="pair">
              <TextField name={`windows.${i}.from`} label="Start time" type="time" value={from} />
              <TextField name={`windows.${i}.to`} label="End time" type="time" value={to} />
            </div>
            <div>
              <button type="submit" name="_again" value={`remove.${i}`} class="plain" formNoValidate>
                Remove hours
              </button>
            </div>
          </div>
        ))}
        <p class="hint">
          {shown.length === 0
            ? "No sending hours set. Sequence emails are sent at any hour."
            : "Sequence emails are sent during these hours only. Answers to replies are sent at any hour."}
        </p>
        <div class="bar">
          <button type="submit" class="primary">
            Save sending settings
          </button>
          <button type="submit" name="_again" value="add" formNoValidate>
            Add hours
          </button>
        </div>
      </Form>
    </Section>
  );
}

function editedWindows(given: unknown, act: string | undefined): Window[] {
  const windows = (Array.isArray(given) ? given : []).map((window: Partial<Window>) => ({
    days: Array.isArray(window.days) ? window.days : [],
    from: window.from ?? "",
    to: window.to ?? "",
  }));
  if (act === "add") return [...windows, { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }];
  if (act?.startsWith("remove.")) return windows.filter((_, i) => i !== Number(act.slice("remove.".length)));
  return windows;
}

function formatWindow({ days, from, to }: Window): string {
  return `${days.map((day) => DAYS[day - 1]?.label.slice(0, 3)).join(" ")} ${from}–${to}`;
}

/** The plan of a new workspace. */
const SELF_HOSTED = "self_hosted";

/** Collapsed on a self-hosted server without limits, where there is nothing to pay. */
function PlanAndBilling({ workspace }: { workspace: Workspace }) {
  const { failed } = usePageContext();
  const { plan, billing, usage } = workspace;
  const isFree = plan.name === SELF_HOSTED && plan.contact_allowance === null && plan.socialnet_allowance === null;
  const planAndBilling = (
    <div class="tiles wide">
      <Plan plan={plan} usage={usage} />
      <Billing billing={billing} />
    </div>
  );
  if (!isFree || billing.read_only_reason !== null || billing.ends_at !== null) return planAndBilling;
  return (
    <details class="more" open={failed?.form === "set_plan" || failed?.form === "set_billing"}>
      <summary>Plan and billing</summary>
      <p class="small quiet">For hosting providers that run workspaces for customers. Rostrum itself is free.</p>
      {planAndBilling}
    </details>
  );
}

function Plan({ plan, usage }: Pick<Workspace, "plan" | "usage">) {
  const { may } = usePageContext();
  const { name, contact_allowance, socialnet_allowance } = plan;
  const { contacts, socialnet_actions } = usage;
  return (
    <Section title="Plan">
      <Used what="Contacts" used={contacts} allowed={contact_allowance} />
      <Used what="Social actions this month" used={socialnet_actions} allowed={socialnet_allowance} />
      {may("set_plan") ? (
        <Form does="set_plan" class="card" label="Plan">
          <TextField name="name" label="Plan name" value={name} />
          <TextField
            name="contact_allowance"
            kind="limit"
            type="number"
            label="Contact limit"
            hint="Leave blank for no limit."
            value={contact_allowance}
          />
          <TextField
            name="socialnet_allowance"
            kind="limit"
            type="number"
            label="Monthly social actions"
            hint="Leave blank for no limit."
            value={socialnet_allowance}
          />
          <button type="submit">Save plan</button>
        </Form>
      ) : (
        <Facts facts={[["Plan", name === SELF_HOSTED ? "Self-hosted" : name]]} />
      )}
    </Section>
  );
}

const BILLING_LABELS: Record<(typeof BILLING_STATES)[number], string> = {
  active: "Active",
  trial: "Trial",
  financed: "Fixed term",
  delinquent: "Payment overdue",
};

function Billing({ billing: { state, ends_at, read_only_reason } }: Pick<Workspace, "billing">) {
  const { may } = usePageContext();
  return (
    <Section
      title="Billing"
      action={read_only_reason !== null && <Chip tone="stopped">Read-only: {read_only_reason}</Chip>}
    >
      {may("set_billing") ? (
        <Form does="set_billing" class="card" label="Billing">
          <Select
            name="state"
            label="Status"
            hint="Active: everything works. Trial and Fixed term: everything works until the end date, then the workspace is read-only. Payment overdue: the workspace is read-only."
            choices={BILLING_STATES.map((value) => ({ value, label: BILLING_LABELS[value] }))}
            value={state}
          />
          <TextField
            name="ends_at"
            kind="moment"
            type="datetime-local"
            label="Ends at (UTC)"
            hint="Only for Trial and Fixed term. Leave it blank for the others."
            value={ends_at?.slice(0, 16) ?? ""}
          />
          <button type="submit">Save billing</button>
        </Form>
      ) : (
        <Facts
          facts={[
            ["Status", BILLING_LABELS[state]],
            ["Ends", ends_at === null ? "No end date" : <Time at={ends_at} />],
          ]}
        />
      )}
    </Section>
  );
}

/** The used part of an allowance as text, and as a bar where there is a limit. */
function Used({ what, used, allowed }: { what: string; used: number; allowed: number | null }) {
  const words = `${amount(used)} ${allowed === null ? "used, no limit" : `of ${amount(allowed)}`}`;
  const share = allowed === null ? 0 : allowed === 0 ? 1 : used / allowed;
  return (
    <div class="used">
      <span>{what}</span>
      <span class={share >= 1 ? "stopped" : "quiet"}>{share >= 1 ? `${words}, limit reached` : words}</span>
      {allowed !== null && (
        <Meter label={`${what}: ${words}`} parts={[{ share, tone: share >= 1 ? "stopped" : "accent" }]} />
      )}
    </div>
  );
}
