/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { ACTION_STATUSES } from "../../../domain/socialnet/action.ts";
import { memberNames, pageOf } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Address, Chip, Pager, Section, Time } from "../../ui/basics.tsx";
import { Choices, Select } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { statusLabel } from "../../ui/labels.ts";
import { type Account, at } from "./labels.ts";
import { Ledger } from "./ledger.tsx";
import { AccountSummary, AccountTabs, Hold, holderChoices, holderOf, Limits, NotActivated } from "./state.tsx";

export const agentAccount = screen({
  path: "/agents/:id",
  needs: "get_socialnet_account",
  forms: ["request_reconnect", "update_socialnet_account"],
  async load(ctx) {
    const account_id = ctx.params.id ?? "";
    const status = ACTION_STATUSES.find((known) => known === ctx.query.get("status"));
    const [account, actions, members] = await Promise.all([
      ctx.call("get_socialnet_account", { account_id }),
      ctx.call("list_planned_actions", { account_id, ...pageOf(ctx), ...(status && { status }) }),
      memberNames(ctx),
    ]);
    return { account: account.data, actions, members, status };
  },
  title: ({ account }) => account.label,
  view: ({ account, actions, members, status }, { href, may, workspace }) => (
    <>
      <AccountTabs id={account.id} />
      <NotActivated />
      <div class="tiles wide">
        <div class={isSteady(account) ? "steady" : "tower"}>
          <div class="card stack">
            <h2>Now</h2>
            {workspace.outreach.paused_at !== null && <p>Outreach is paused, so no account starts new actions.</p>}
            <Hold {...account} holder={holderOf(account, members)} />
            <AccountSummary
              account={account}
              session={account.held_reason === account.session && account.session !== null ? undefined : "chip"}
            />
            <p class="small">
              <a href={account.profile_url} rel="noreferrer">
                <Address text={account.profile_url} />
              </a>
            </p>
            {isSteady(account) && <SignedIn account={account} />}
          </div>
          <div class="card stack">
            <h2>Today</h2>
            <Limits {...account} />
            <p class="small quiet">
              An action counts as soon as the agent starts it. Each limit resets at midnight ({account.time_zone}).{" "}
              <a href={href(at(account.id, "/rules"))}>
                {may("update_socialnet_account") ? "Edit" : "View"} hours and limits
              </a>
            </p>
          </div>
        </div>
        <SetupTile account={account} members={members} />
      </div>
      <Section
        title="Actions"
        action={
          may("plan_socialnet_action") && (
            <a class={isSteady(account) ? "button primary" : "button"} href={href(at(account.id, "/plan"))}>
              Plan action
            </a>
          )
        }
      >
        <Choices
          label="Status"
          name="status"
          choices={[
            { value: undefined, name: "All" },
            ...ACTION_STATUSES.map((value) => ({ value, name: statusLabel(value, "action") })),
          ]}
        />
        <Ledger rows={actions.data} account={account} status={status} />
        <Pager meta={actions.meta} label="Action pages" />
      </Section>
    </>
  ),
});

interface Step {
  name: string;
  detail: ComponentChildren;
  done: boolean;
  at: string | null;
}

/**
 * The four steps of a sign-in request. The account holder counts as signed in at the first heartbeat after the acknowledgment
 * that needs no login and no captcha.
 */
function stepsOf({ last_reconnect: asked, session, session_at }: Account, holder = "The account holder"): Step[] {
  const acknowledged = asked?.acknowledged_at ?? null;
  const resolved = asked?.resolved_at ?? null;
  const heard = acknowledged !== null && session_at !== null && session_at >= acknowledged;
  const signedIn = resolved !== null || (heard && session === "restricted");
  return [
    {
      name: "Requested",
      detail: asked === null ? "Request a sign-in below." : `By ${asked.requested_by}.`,
      done: asked !== null,
      at: asked?.requested_at ?? null,
    },
    {
      name: "Acknowledged",
      detail: "The agent gets the request and opens its browser.",
      done: acknowledged !== null,
      at: acknowledged,
    },
    {
      name: "Signed in",
      detail: `${holder} signs in to the professional network in the browser that the agent opened. Neither the agent nor Rostrum sees the password.`,
      done: signedIn,
      at: resolved ?? (signedIn ? session_at : null),
    },
    { name: "Ready", detail: "The agent reports that it can work.", done: resolved !== null, at: resolved },
  ];
}

/** The agent is signed in, and no sign-in is requested. */
function isSteady({ session, reconnect }: Account): boolean {
  return session === "ready" && reconnect === null;
}

interface TileProps {
  account: Account;
  /** The names of members by id. */
  members: ReadonlyMap<string, string>;
}

function Reconnect({ account, members }: TileProps) {
  const holder = holderOf(account, members);
  const steps = stepsOf(account, holder);
  const open = account.reconnect !== null;
  const current = open ? steps.findIndex(({ done }) => !done) : -1;
  return (
    <div class="card stack">
      <h2>Sign-in request</h2>
      {holder === undefined && <NoHolder account={account} members={members} />}
      <ol class="steps">
        {steps.map(({ name, detail, done, at }, i) => (
          <li
            key={name}
            class={done ? "done" : i === current ? "now" : undefined}
            aria-current={i === current ? "step" : undefined}
          >
            <strong>{name}</strong>{" "}
            {done ? <Chip tone="done">{<Time at={at} />}</Chip> : i === current && <Chip tone="needs">Next</Chip>}
            <p class="small quiet">{detail}</p>
          </li>
        ))}
      </ol>
      <RequestSignIn account={account} isPrimary={holder !== undefined} />
    </div>
  );
}

/** The agent opens a browser, but no account holder is known. */
function NoHolder({ account: { id, reconnect }, members }: TileProps) {
  const { may } = usePageContext();
  return (
    <div class="stack">
      <p>
        {reconnect === null
          ? "No account holder is set, so a sign-in request would reach no teammate."
          : "A sign-in was requested, but no teammate was asked, because no account holder is set."}{" "}
        {may("update_socialnet_account")
          ? "Choose the teammate who signs in to this profile."
          : "Ask an admin to choose the teammate who signs in to this profile."}
      </p>
      <Form does="update_socialnet_account" id="holder" label="Account holder">
        <Hidden name="account_id" value={id} />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Account holder"
          choices={holderChoices(members)}
          value={null}
        />
        <button type="submit" class="primary">
          Save account holder
        </button>
      </Form>
    </div>
  );
}

/** For a working agent: the last requested sign-in, and a button to request another. */
function SignedIn({ account }: { account: Account }) {
  const resolved = account.last_reconnect?.resolved_at ?? null;
  return (
    <>
      {resolved !== null && (
        <p class="small quiet">
          Last requested sign-in: <Time at={resolved} />.
        </p>
      )}
      <RequestSignIn account={account} isPrimary={false} />
    </>
  );
}

function RequestSignIn({ account: { id, reconnect }, isPrimary }: { account: Account; isPrimary: boolean }) {
  return (
    <Form does="request_reconnect" label="Request sign-in">
      <Hidden name="account_id" value={id} />
      <button type="submit" class={isPrimary ? "primary" : undefined}>
        {reconnect === null ? "Request sign-in" : "Request sign-in again"}
      </button>
    </Form>
  );
}

/** The setup step that the account still needs, if any. */
function SetupTile({ account, members }: TileProps) {
  if (isSteady(account)) return null;
  const isNew = account.session_at === null && account.reconnect === null;
  return isNew ? <NoAgent id={account.id} /> : <Reconnect account={account} members={members} />;
}

/** The first steps for an account whose agent has never connected. */
function NoAgent({ id }: { id: string }) {
  const { href, may } = usePageContext();
  return (
    <div class="card stack">
      <h2>No check-in yet</h2>
      <p>
        Planned actions wait until this account's agent checks in. A connected client appears here after its first
        check-in.
        {may("create_key") && " To connect an agent, create an API key, or let the client sign in (OAuth)."}
      </p>
      {may("create_key") ? (
        <p>
          <a class="button primary" href={href(at(id, "/connect"))}>
            Connect agent
          </a>
        </p>
      ) : (
        <p class="quiet">Ask an admin to connect an agent.</p>
      )}
    </div>
  );
}
