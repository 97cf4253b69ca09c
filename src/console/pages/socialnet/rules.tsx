/** @jsxRuntime automatic @jsxImportSource preact */

import type { AutomationMode } from "../../../domain/socialnet/account.ts";
import { memberNames } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Section } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { type Account, MODES } from "./labels.ts";
import { AccountTabs, SendingHoursStatus } from "./state.tsx";
import { WeekFields, WeekShown } from "./week.tsx";

export const agentRules = screen({
  path: "/agents/:id/rules",
  needs: "get_socialnet_account",
  forms: ["update_socialnet_account"],
  async load(ctx) {
    const { data } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    return { account: data, members: await memberNames(ctx) };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: hours and limits`,
  view: ({ account, members }) => (
    <>
      <AccountTabs id={account.id} />
      <div class="sides">
        <div>
          <Mode account={account} />
          <Hours account={account} />
        </div>
        <div>
          <DailyLimits account={account} />
          <About account={account} members={members} />
        </div>
      </div>
    </>
  ),
});

const MODE_BUTTONS: Record<Exclude<AutomationMode, "automatic">, string> = {
  off: "Switch to manual only",
  approve_each: "Require approval",
};

/** Turning on automatic sending asks for confirmation. The other modes take one click. */
function Mode({ account: { id, automation_mode: mode, profile_url } }: { account: Account }) {
  const { actor, may } = usePageContext();
  return (
    <Section title="Mode" action={<Chip tone={mode === "automatic" ? "needs" : "plain"}>{MODES[mode].name}</Chip>}>
      <div class="card stack">
        <p>{MODES[mode].detail}</p>
        <div class="bar">
          {(["off", "approve_each"] as const)
            .filter((other) => other !== mode)
            .map((other) => (
              <Form
                does="update_socialnet_account"
                id={`mode-${other}`}
                key={other}
                class="inline"
                label={MODE_BUTTONS[other]}
              >
                <Hidden name="account_id" value={id} />
                <Hidden name="automation_mode" value={other} />
                <button type="submit">{MODE_BUTTONS[other]}</button>
              </Form>
            ))}
          {mode !== "automatic" && actor.approveOutbound && (
            <Confirm
              does="update_socialnet_account"
              id="mode-automatic"
              opens="Turn on automatic sending…"
              submit="Turn on automatic sending"
              danger
            >
              <Hidden name="account_id" value={id} />
              <Hidden name="automation_mode" value="automatic" />
              <Hidden name="read_profile_url" value={profile_url} />
              <p>
                <strong>No one reviews actions before they're sent.</strong> All planned actions are approved now,
                including future sequence steps. The agent sends them as <code>{profile_url}</code> within the limits,
                and sequence steps within the sending hours too.
              </p>
              <p class="quiet">
                You can turn it off anytime. Actions that were approved automatically then need review again, unless the
                agent has started them.
              </p>
            </Confirm>
          )}
        </div>
        {mode !== "automatic" && !actor.approveOutbound && may("update_socialnet_account") && (
          <p class="small quiet">Only teammates who can approve outbound messages can turn on automatic sending.</p>
        )}
      </div>
    </Section>
  );
}

function Hours({ account }: { account: Account }) {
  const { may } = usePageContext();
  const { id, windows, time_zone } = account;
  return (
    <Section title="Sending hours">
      <p class="bar">
        <span>
          Status: <SendingHoursStatus {...account} />
        </span>
        <span class="quiet">
          Sending hours apply to sequence steps. Actions that a teammate planned can go out at any hour, and count
          toward the limits.
        </span>
      </p>
      {may("update_socialnet_account") ? (
        <Form does="update_socialnet_account" id="hours" class="card" label="Sending hours">
          <Hidden name="account_id" value={id} />
          <TextField
            name="time_zone"
            label="Time zone"
            hint="Also used for daily limits. Use an IANA name such as Europe/Berlin."
            value={time_zone}
          />
          <WeekFields windows={windows} />
          <button type="submit" class="primary">
            Save hours
          </button>
        </Form>
      ) : (
        <div class="card stack">
          <p>{windows.length === 0 ? "Always open" : `Time zone: ${time_zone}`}</p>
          {windows.length > 0 && <WeekShown windows={windows} />}
        </div>
      )}
    </Section>
  );
}

function DailyLimits({ account: { id, daily_limits, time_zone } }: { account: Account }) {
  const { may } = usePageContext();
  return (
    <Section title="Daily limits">
      {may("update_socialnet_account") ? (
        <Form does="update_socialnet_account" id="limits" class="card" label="Daily limits">
          <Hidden name="account_id" value={id} />
          <TextField
            name="daily_limits.connection_requests"
            kind="number"
            type="number"
            label="Connection requests"
            value={daily_limits.connection_requests}
          />
          <TextField
            name="daily_limits.messages"
            kind="number"
            type="number"
            label="Messages"
            hint={`An action counts once the agent starts it. The limit resets at midnight (${time_zone}). Enter 0 to send none.`}
            value={daily_limits.messages}
          />
          <button type="submit">Save limits</button>
        </Form>
      ) : (
        <Facts
          facts={[
            ["Connection requests", daily_limits.connection_requests],
            ["Messages", daily_limits.messages],
          ]}
        />
      )}
    </Section>
  );
}

function About({ account, members }: { account: Account; members: ReadonlyMap<string, string> }) {
  const { may } = usePageContext();
  const { id, label, profile_url, owner_member_id: owner } = account;
  if (!may("update_socialnet_account")) {
    return (
      <Section title="Account">
        <Facts
          facts={[
            ["Profile", <code>{profile_url}</code>],
            ["Account holder", owner === null ? "None" : members.get(owner)],
          ]}
        />
      </Section>
    );
  }
  return (
    <Section title="Account">
      <Form does="update_socialnet_account" id="about" class="card" label="Account">
        <Hidden name="account_id" value={id} />
        <TextField name="label" label="Name" value={label} />
        <TextField
          name="profile_url"
          type="url"
          label="Profile URL"
          hint="If you change it, the account holder must sign in to the new profile before the agent continues."
          value={profile_url}
        />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Account holder"
          hint="The teammate who signs in to the social network, in the browser that the agent opened. If you choose someone else, MCP clients that the current holder connected lose access."
          choices={[
            { value: "", label: "No account holder" },
            ...[...members].map(([value, name]) => ({ value, label: name })),
          ]}
          value={owner}
        />
        <button type="submit">Save account</button>
      </Form>
    </Section>
  );
}
