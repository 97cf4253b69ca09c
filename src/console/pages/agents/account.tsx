/** @jsxRuntime automatic @jsxImportSource preact */
import { ACTION_STATUSES } from "../../../domain/socialnet-action.ts";
import { pageOf, statusInWords } from "../../names.ts";
import { Pager, Section } from "../../parts/basics.tsx";
import { Choices } from "../../parts/choices.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Ledger } from "./ledger.tsx";
import { isSteady, Reconnect, SignedIn } from "./reconnect.tsx";
import { AccountTabs, Hold, Limits, NotActivated, Standing } from "./state.tsx";
import { type Account, at } from "./words.ts";

export const agentAccount = screen({
  path: "/agents/:id",
  needs: "get_socialnet_account",
  forms: ["request_reconnect"],
  async load(visit) {
    const account_id = visit.params.id ?? "";
    const status = ACTION_STATUSES.find((known) => known === visit.query.get("status"));
    const [account, actions] = await Promise.all([
      visit.call("get_socialnet_account", { account_id }),
      visit.call("list_planned_actions", { account_id, ...pageOf(visit), ...(status && { status }) }),
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
          <Standing account={account} />
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
            ...ACTION_STATUSES.map((value) => ({ value, name: statusInWords(value, "action") })),
          ]}
        />
        <Ledger rows={actions.data} status={status} />
        <Pager meta={actions.meta} label="Pages of the ledger" />
      </Section>
    </>
  ),
});

/** What the account wants before it works on; nothing where it works. */
function NextTile({ account }: { account: Account }) {
  if (isSteady(account)) return null;
  const isNew = account.session_at === null && account.reconnect === null;
  return isNew ? <NoAgent id={account.id} /> : <Reconnect account={account} />;
}

/** What comes first for an account that no agent has been heard of. */
function NoAgent({ id }: { id: string }) {
  const { href, may } = useVisit();
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
