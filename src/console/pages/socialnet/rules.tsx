/** @jsxRuntime automatic @jsxImportSource preact */

import { type AutomationMode, MAX_READ_ACTIONS } from "../../../domain/socialnet/account.ts";
import { memberNames } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Address, Chip, Facts, ProfileLink, Section } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { amount, counted } from "../../ui/format.ts";
import { revealed } from "../../ui/labels.ts";
import { LastReply, Said } from "../review/context.tsx";
import { ActionInFull } from "../review/proposal.tsx";
import { type Account, at, MODES } from "./labels.ts";
import { AccountTabs, holderChoices, holderOf, SendingHoursStatus } from "./state.tsx";
import { WeekFields, WeekShown } from "./week.tsx";

export const agentRules = screen({
  path: "/agents/:id/rules",
  needs: "get_socialnet_account",
  forms: ["update_socialnet_account"],
  async load(ctx) {
    const { data } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    const canTurnOn =
      data.automation_mode !== "automatic" && ctx.actor.approveOutbound && ctx.may("update_socialnet_account");
    const preview = canTurnOn ? (await ctx.call("preview_automatic_mode", { account_id: data.id })).data : undefined;
    return { account: data, preview, members: await memberNames(ctx) };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: hours and limits`,
  view: ({ account, preview, members }) => (
    <>
      <AccountTabs id={account.id} />
      <div class="sides">
        <div>
          <Mode account={account} preview={preview} />
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

type Preview = DataOf<"preview_automatic_mode">;

/** Turning on automatic sending asks for confirmation. The other modes take one click. */
function Mode({ account, preview }: { account: Account; preview: Preview | undefined }) {
  const { actor, may } = usePageContext();
  const { id, automation_mode: mode } = account;
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
          {preview !== undefined && <TurnOn account={account} preview={preview} />}
        </div>
        {mode !== "off" && may("update_socialnet_account") && (
          <p class="small quiet">
            {MODES.off.name}: {MODES.off.detail}
          </p>
        )}
        {mode !== "automatic" && !actor.approveOutbound && may("update_socialnet_account") && (
          <p class="small quiet">Only teammates who can approve outbound messages can turn on automatic sending.</p>
        )}
      </div>
    </Section>
  );
}

/** The form approves what the preview lists, by the hash of each action. */
function TurnOn({ account: { id, profile_url }, preview }: { account: Account; preview: Preview }) {
  const { href, workspace } = usePageContext();
  const { planned_count, approved, needs_review_count } = preview;
  const planned = href(at(id), { status: "planned" });
  if (needs_review_count === null) {
    return (
      <p class="small quiet">
        You can't turn on automatic sending with more than {counted(MAX_READ_ACTIONS, "planned action")}. First approve
        or cancel some of <a href={planned}>the {amount(planned_count)} planned actions</a>.
      </p>
    );
  }
  return (
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
      {/* Without any hash field, the server would approve what is planned by then. */}
      <Hidden name="copy_hashes" kind="hashes" value="" />
      {approved.map(({ id, copy_hash }) => (
        <Hidden key={id} name="copy_hashes" kind="hashes" value={`${id} ${copy_hash}`} />
      ))}
      <ChangedActions account={id} preview={preview} />
      <p>
        <strong>If you turn this on, most actions are sent without review.</strong>{" "}
        {approved.length === 0 ? (
          "Turning it on approves none of the actions that are already planned."
        ) : (
          <>Turning it on approves {counted(approved.length, "planned action")}. Read each of them below first.</>
        )}{" "}
        Most new actions, including sequence steps, are then approved as soon as they are planned. The agent sends them
        as{" "}
        <code>
          <Address text={profile_url} />
        </code>{" "}
        within the daily limits. Sequence steps also wait for the sending hours.
      </p>
      {needs_review_count > 0 && (
        <p>
          {counted(needs_review_count, "planned action")} still {needs_review_count === 1 ? "needs" : "need"} review.
          The reason is that the sender, the sequence or the contact's profile changed, or that the contact has replied
          or might have opted out{workspace.own_proposals === "forbidden" && ", or that you proposed the action"}.
        </p>
      )}
      <p>While automatic sending is on, these new actions still need review:</p>
      <ul class="bullets">
        <li>sequence steps for contacts who might have opted out</li>
        <li>
          actions for contacts who have replied or might have opted out, if the teammate who plans them can't approve
          outbound messages
        </li>
        {workspace.own_proposals === "forbidden" && <li>answers from the Inbox</li>}
      </ul>
      <p class="quiet">
        You can turn off automatic sending anytime. Actions that were approved automatically then need review again. An
        action that the agent has already started can still be sent once.
      </p>
      {approved.length > 0 && (
        <ul class="stack" aria-label="Planned actions that this approves">
          {approved.map((action) => (
            <li key={action.id} class="card stack">
              <ActionInFull action={action} />
              {action.last_message !== null && (
                <p class="small">
                  Last message <Said entry={action.last_message} of={action.contact_id} />
                </p>
              )}
              <LastReply reply={action.last_reply} of={action.contact_id} />
              {action.note !== null && <p class="quiet">Status note: {revealed(action.note)}</p>}
            </li>
          ))}
        </ul>
      )}
    </Confirm>
  );
}

const HASHES_FIELD = "copy_hashes:hashes";
const MAX_LINKS = 20;

/** Links to what changed between the page that was read and this one. */
function ChangedActions({ account, preview }: { account: string; preview: Preview }) {
  const { failed, href } = usePageContext();
  const typed = failed?.form === "mode-automatic" ? failed.typed.get(HASHES_FIELD) : undefined;
  if (typed === undefined) return null;
  const now = preview.approved.map(({ id, copy_hash }) => `${id} ${copy_hash}`);
  const differing = [...now.filter((pair) => !typed.includes(pair)), ...typed.filter((pair) => !now.includes(pair))];
  const ids = [...new Set(differing.map((pair) => pair.split(" ")[0] ?? ""))].filter((id) => id !== "");
  if (ids.length === 0) return null;
  return (
    <p id="changed-actions">
      Changed:{" "}
      {ids.slice(0, MAX_LINKS).map((id, i) => (
        <span key={id}>
          {i > 0 && ", "}
          <a href={href(at(account, `/actions/${id}`))}>View action {i + 1}</a>
        </span>
      ))}
      {ids.length > MAX_LINKS && ` and ${counted(ids.length - MAX_LINKS, "more action")}`}
    </p>
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
            required
          />
          <TextField
            name="daily_limits.messages"
            kind="number"
            type="number"
            label="Messages"
            hint={`An action counts as soon as the agent starts it. Each limit resets at midnight (${time_zone}). Enter 0 to send none.`}
            value={daily_limits.messages}
            required
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
  const isUnasked = holderOf(account, members) === undefined && account.reconnect !== null;
  if (!may("update_socialnet_account")) {
    return (
      <Section title="Account">
        <Facts
          facts={[
            ["Profile", <ProfileLink url={profile_url} />],
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
        {isUnasked && (
          <p class="needs-note">
            A sign-in was requested, but no account holder is set, so no one was asked. Choose the account holder below.
          </p>
        )}
        <TextField name="label" label="Name" value={label} />
        <TextField
          name="profile_url"
          type="url"
          label="Profile URL"
          hint="A change cancels the approvals of this account's actions and sequences. The account holder must then sign in to the new profile before the agent continues."
          value={profile_url}
        />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Account holder"
          hint="The teammate who signs in to the professional network, in the browser that the agent opened. If you choose someone else, MCP clients connected by the current holder lose access."
          choices={holderChoices(members)}
          value={owner}
        />
        <button type="submit">Save account</button>
      </Form>
    </Section>
  );
}
