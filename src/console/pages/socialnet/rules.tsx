/** @jsxRuntime automatic @jsxImportSource preact */

import type { AutomationMode } from "../../../domain/socialnet/account.ts";
import { actorNames } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Section } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { type Account, MODES } from "./labels.ts";
import { AccountTabs, NextWindow } from "./state.tsx";
import { WeekFields, WeekShown } from "./week.tsx";

export const agentRules = screen({
  path: "/agents/:id/rules",
  needs: "get_socialnet_account",
  forms: ["update_socialnet_account"],
  async load(ctx) {
    const { data } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    return { account: data, members: await actorNames(ctx) };
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

const TAKES: Record<Exclude<AutomationMode, "automatic">, string> = {
  off: "Turn automation off",
  approve_each: "Have a person approve each",
};

/** How far the account acts by itself. Lowering it takes one click; turning on automatic sending asks first. */
function Mode({ account: { id, automation_mode: mode, profile_url } }: { account: Account }) {
  const { actor, may } = usePageContext();
  return (
    <Section title="Mode" action={<Chip tone={mode === "automatic" ? "needs" : "plain"}>{MODES[mode].name}</Chip>}>
      <div class="card stack">
        <p>{MODES[mode].say}</p>
        <div class="bar">
          {(["off", "approve_each"] as const)
            .filter((other) => other !== mode)
            .map((other) => (
              <Form
                does="update_socialnet_account"
                id={`mode-${other}`}
                key={other}
                class="inline"
                label={TAKES[other]}
              >
                <Hidden name="account_id" value={id} />
                <Hidden name="automation_mode" value={other} />
                <button type="submit">{TAKES[other]}</button>
              </Form>
            ))}
          {mode !== "automatic" && actor.approveOutbound && (
            <Confirm
              does="update_socialnet_account"
              id="mode-automatic"
              opens="Make it automatic…"
              submit="Let it send without asking"
              danger
            >
              <Hidden name="account_id" value={id} />
              <Hidden name="automation_mode" value="automatic" />
              <Hidden name="read_profile_url" value={profile_url} />
              <p>
                <strong>Nobody looks at it any more.</strong> Everything that is planned for this account is approved at
                once, and sent as <code>{profile_url}</code>, and so is whatever sequences plan from now on. It is sent
                as it reads, within the windows and limits.
              </p>
              <p class="quiet">
                Taking it back is one click: what only the account had approved then waits for a person again, but for
                what an agent has started.
              </p>
            </Confirm>
          )}
        </div>
        {mode !== "automatic" && !actor.approveOutbound && may("update_socialnet_account") && (
          <p class="small quiet">Making it automatic takes the permission to approve what goes out.</p>
        )}
      </div>
    </Section>
  );
}

function Hours({ account }: { account: Account }) {
  const { may } = usePageContext();
  const { id, windows, time_zone } = account;
  return (
    <Section title="Hours">
      <p class="bar">
        <span>
          Now: <NextWindow {...account} />.
        </span>
        <span class="quiet">What a person planned and approved goes out at any hour.</span>
      </p>
      {may("update_socialnet_account") ? (
        <Form does="update_socialnet_account" id="hours" class="card" label="Hours">
          <Hidden name="account_id" value={id} />
          <TextField
            name="time_zone"
            label="Time zone"
            hint="By its IANA name, as Europe/Berlin. The days of the limits go by it too."
            value={time_zone}
          />
          <WeekFields windows={windows} />
          <button type="submit" class="primary">
            Set the hours
          </button>
        </Form>
      ) : (
        <div class="card stack">
          <p>{windows.length === 0 ? "Always open." : `In ${time_zone}:`}</p>
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
            hint={`Whatever was started counts, from midnight to midnight in ${time_zone}. 0 lets none out.`}
            value={daily_limits.messages}
          />
          <button type="submit">Set the limits</button>
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
            ["Owner", owner === null ? "nobody in particular" : members.get(owner)],
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
          label="Address of its own profile"
          hint="With another one, the agent has to be signed in there before it works on."
          value={profile_url}
        />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Owner"
          hint="Whoever signs in on the social network when the agent asks for it."
          choices={[
            { value: "", label: "Nobody in particular" },
            ...[...members].map(([value, name]) => ({ value, label: name })),
          ]}
          value={owner}
        />
        <button type="submit">Change the account</button>
      </Form>
    </Section>
  );
}
