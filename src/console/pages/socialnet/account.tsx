/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { ACTION_STATUSES } from "../../../domain/socialnet/action.ts";
import { pageOf } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Pager, Section, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { statusLabel } from "../../ui/labels.ts";
import { type Account, at } from "./labels.ts";
import { Ledger } from "./ledger.tsx";
import { AccountSummary, AccountTabs, Hold, Limits, NotActivated } from "./state.tsx";

export const agentAccount = screen({
  path: "/agents/:id",
  needs: "get_socialnet_account",
  forms: ["request_reconnect"],
  async load(ctx) {
    const account_id = ctx.params.id ?? "";
    const status = ACTION_STATUSES.find((known) => known === ctx.query.get("status"));
    const [account, actions] = await Promise.all([
      ctx.call("get_socialnet_account", { account_id }),
      ctx.call("list_planned_actions", { account_id, ...pageOf(ctx), ...(status && { status }) }),
    ]);
    return { account: account.data, actions, status };
  },
  title: ({ account }) => account.label,
  view: ({ account, actions, status }, { href, may, workspace }) => (
    <>
      <AccountTabs id={account.id} />
      <NotActivated account={account} />
      <div class="tiles wide">
        <div class="card stack">
          <h2>Now</h2>
          {workspace.outreach.paused_at !== null && <p>Outreach is paused: nothing of any account is sent.</p>}
          <Hold {...account} />
          <AccountSummary account={account} />
          <p class="small">
            <a href={account.profile_url} rel="noreferrer">
              {account.profile_url}
            </a>
          </p>
          {isSteady(account) && <SignedIn account={account} />}
        </div>
        <div class="card stack">
          <h2>Today</h2>
          <Limits {...account} />
          <p class="small quiet">
            Whatever was started counts, from midnight to midnight in {account.time_zone}.{" "}
            <a href={href(at(account.id, "/rules"))}>Hours and limits</a>
          </p>
        </div>
        <NextTile account={account} />
      </div>
      <Section
        title="Ledger of actions"
        action={
          may("plan_socialnet_action") && (
            <a class={account.session_at === null ? "button" : "button primary"} href={href(at(account.id, "/plan"))}>
              Plan an action
            </a>
          )
        }
      >
        <Choices
          label="By state"
          name="status"
          choices={[
            { value: undefined, name: "All" },
            ...ACTION_STATUSES.map((value) => ({ value, name: statusLabel(value, "action") })),
          ]}
        />
        <Ledger rows={actions.data} status={status} />
        <Pager meta={actions.meta} label="Pages of the ledger" />
      </Section>
    </>
  ),
});

interface Step {
  name: string;
  say: ComponentChildren;
  done: boolean;
  at: string | null;
}

/**
 * The four steps of a reconnect. The owner counts as signed in at the first heartbeat after the acknowledgment that
 * needs no login and no captcha.
 */
function stepsOf({ last_reconnect: asked, session, session_at }: Account): Step[] {
  const acknowledged = asked?.acknowledged_at ?? null;
  const resolved = asked?.resolved_at ?? null;
  const heard = acknowledged !== null && session_at !== null && session_at >= acknowledged;
  const signedIn = resolved !== null || (heard && session === "restricted");
  return [
    {
      name: "Requested",
      say: asked === null ? "A person asks for it here." : `By ${asked.requested_by}.`,
      done: asked !== null,
      at: asked?.requested_at ?? null,
    },
    {
      name: "Acknowledged",
      say: "The agent has heard of it, and opens its browser.",
      done: acknowledged !== null,
      at: acknowledged,
    },
    {
      name: "Signed in",
      say: "The owner signs in, privately. No password passes through an agent or this server.",
      done: signedIn,
      at: resolved ?? (signedIn ? session_at : null),
    },
    { name: "Ready", say: "The agent's heartbeat says ready.", done: resolved !== null, at: resolved },
  ];
}

/** The agent is signed in, and no reconnect is requested. */
function isSteady({ session, reconnect }: Account): boolean {
  return session === "ready" && reconnect === null;
}

function Reconnect({ account }: { account: Account }) {
  const steps = stepsOf(account);
  const open = account.reconnect !== null;
  const current = open ? steps.findIndex(({ done }) => !done) : -1;
  return (
    <div class="card stack">
      <h2>Reconnect</h2>
      <ol class="steps">
        {steps.map(({ name, say, done, at }, i) => (
          <li
            key={name}
            class={done ? "done" : i === current ? "now" : undefined}
            aria-current={i === current ? "step" : undefined}
          >
            <strong>{name}</strong>{" "}
            {done ? <Chip tone="done">{<Time at={at} />}</Chip> : i === current && <Chip tone="needs">Waits</Chip>}
            <p class="small quiet">{say}</p>
          </li>
        ))}
      </ol>
      <AskToSignIn account={account} />
    </div>
  );
}

/** For a working agent: when the owner last signed in for it, and how to request a new sign-in. */
function SignedIn({ account }: { account: Account }) {
  const resolved = account.last_reconnect?.resolved_at ?? null;
  return (
    <>
      {resolved !== null && (
        <p class="small quiet">
          The owner last signed in anew <Time at={resolved} />.
        </p>
      )}
      <AskToSignIn account={account} />
    </>
  );
}

function AskToSignIn({ account: { id, reconnect } }: { account: Account }) {
  return (
    <Form does="request_reconnect" label="Ask for a new sign-in">
      <Hidden name="account_id" value={id} />
      <button type="submit">
        {reconnect === null ? "Ask for a new sign-in" : "Ask once more, and wake the agent"}
      </button>
    </Form>
  );
}

/** What the account needs before it can work; nothing where it works. */
function NextTile({ account }: { account: Account }) {
  if (isSteady(account)) return null;
  const isNew = account.session_at === null && account.reconnect === null;
  return isNew ? <NoAgent id={account.id} /> : <Reconnect account={account} />;
}

/** The first steps for an account whose agent has never connected. */
function NoAgent({ id }: { id: string }) {
  const { href, may } = usePageContext();
  return (
    <div class="card stack">
      <h2>No agent yet</h2>
      <p>Whatever is planned waits until an agent works for this account: it needs a key, and an address to call.</p>
      {may("create_key") ? (
        <p>
          <a class="button primary" href={href(at(id, "/connect"))}>
            Connect an agent
          </a>
        </p>
      ) : (
        <p class="quiet">An administrator connects one.</p>
      )}
    </div>
  );
}
