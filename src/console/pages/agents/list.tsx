/** @jsxRuntime automatic @jsxImportSource preact */
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { ByKey, loadByKey } from "./by-key.tsx";
import { HeldFor, Limits, Standing } from "./state.tsx";
import { type Account, at } from "./words.ts";

/** Each card asks a handful of questions of its own. */
const CARDS = 12;

export const agents = screen({
  path: "/agents",
  title: "Agents",
  needs: "list_socialnet_accounts",
  async load(visit) {
    const { data, meta } = await visit.call("list_socialnet_accounts", pageOf(visit, CARDS));
    const whole = await Promise.all(data.map(({ id }) => visit.call("get_socialnet_account", { account_id: id })));
    return { accounts: whole.map((answer) => answer.data), meta, byKey: await loadByKey(visit) };
  },
  action: (_, { may, href }) =>
    may("create_socialnet_account") && (
      <a class="button primary" href={href("/agents/new")}>
        Add a social account
      </a>
    ),
  view: ({ accounts, meta, byKey }, { may, href }) => (
    <>
      <p class="lead">
        Some agents act for an account on the social network, in a browser that the account's owner signed in: what they
        may send, when and how often is decided here. Others come in with a key alone.{" "}
        <a href={href("/agents/work")}>What agents did</a>
      </p>
      {accounts.length === 0 ? (
        <Empty title="No social account yet">
          <p>
            A social account is a sender: somebody's profile on the social network, and the rules that its agent keeps.{" "}
            {may("create_socialnet_account") ? "Add the first above." : "An administrator adds the first."}
          </p>
        </Empty>
      ) : (
        <div class="tiles">
          {accounts.map((account) => (
            <Card key={account.id} account={account} />
          ))}
        </div>
      )}
      <Pager meta={meta} />
      {byKey !== undefined && <ByKey {...byKey} />}
    </>
  ),
});

function Card({ account }: { account: Account }) {
  const { href } = useVisit();
  const { id, label, held_reason, reconnect } = account;
  return (
    <article class="card stack">
      <h2>
        <a href={href(at(id))}>{label}</a>
      </h2>
      {held_reason !== null && <HeldFor reason={held_reason} />}
      {reconnect !== null && <Chip tone="needs">A reconnect is asked for</Chip>}
      <Standing account={account} />
      <Limits {...account} />
    </article>
  );
}
