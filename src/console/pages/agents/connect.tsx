/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { DataOf } from "../../answers.ts";
import { Chip, Empty, Reveal, Section, Table, Time } from "../../parts/basics.tsx";
import { Hidden, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { AccountTabs, NotActivated, Session } from "./state.tsx";
import type { Account } from "./words.ts";

const SCOPES = ["socialnet.read", "socialnet.execute"];
/** Where the commands below have a key, if none was just made. */
const PLACEHOLDER = "ros_live_…";

export const connectAgent = screen({
  path: "/agents/:id/connect",
  needs: "create_key",
  forms: ["create_key"],
  async load(visit) {
    const { data } = await visit.call("get_socialnet_account", { account_id: visit.params.id ?? "" });
    const keys = visit.may("list_keys") ? (await visit.call("list_keys", { limit: 100 })).data : [];
    return { account: data, keys: keys.filter((key) => key.socialnet_account_id === data.id) };
  },
  title: ({ account }) => `Connect an agent to ${account.label}`,
  view: ({ account, keys }, { made }) => {
    const key = made === undefined ? undefined : String(made.data.key);
    return (
      <>
        <AccountTabs id={account.id} />
        <NotActivated account={account} />
        <Key account={account} keys={keys} made={key} />
        <Start account={account} bearer={key ?? PLACEHOLDER} />
        <Section title="3. See it arrive">
          <p class="card" data-refresh="arrival">
            <Session {...account} />{" "}
            {account.session_at === null ? (
              "Nothing was heard of an agent yet. Its first heartbeat shows here, and on the account's page."
            ) : (
              <>
                The last heartbeat came <Time at={account.session_at} />.
              </>
            )}
          </p>
        </Section>
      </>
    );
  },
});

interface KeyProps {
  account: Account;
  keys: DataOf<"list_keys">;
  made: string | undefined;
}

function Key({ account, keys, made }: KeyProps) {
  const { href, now } = useVisit();
  const live = keys.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > now),
  );
  return (
    <Section title="1. A key for it" action={<a href={href("/settings/keys")}>All keys</a>}>
      <p class="lead">
        The key lets an agent read and do the work of {account.label}, and of no other account. It opens nothing else:
        no contacts, no settings.
      </p>
      {made !== undefined && (
        <Reveal title="The agent's key." value={made}>
          <p>The commands below have it in them already.</p>
        </Reveal>
      )}
      {live.length > 0 && (
        <Table
          caption="Keys of this account"
          rows={live}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Begins with", cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "State",
              cell: ({ last_used_at }) => (
                <Chip tone={last_used_at === null ? "plain" : "done"}>
                  {last_used_at === null ? "not used yet" : "in use"}
                </Chip>
              ),
            },
          ]}
        />
      )}
      {live.length === 0 && made === undefined && <Empty title="No key acts for this account yet" />}
      {made === undefined && (
        <Form does="create_key" class="card narrow spaced" label="Make a key">
          <Hidden name="socialnet_account_id" value={account.id} />
          {SCOPES.map((scope) => (
            <Hidden key={scope} name="scopes" kind="list" value={scope} />
          ))}
          <TextField name="name" label="Name" value={`${account.label}'s agent`} hint="What you will know it by." />
          <TextField
            name="expires_in_days"
            kind="number"
            type="number"
            label="Ends after days"
            hint="Left empty, it does not end by itself."
          />
          <button type="submit" class="primary">
            Make the key
          </button>
        </Form>
      )}
    </Section>
  );
}

function Start({ account: { mcp_url, label }, bearer }: { account: Account; bearer: string }) {
  const settings = {
    mcpServers: { rostrum: { type: "http", url: mcp_url, headers: { Authorization: `Bearer ${bearer}` } } },
  };
  return (
    <Section title="2. Start it">
      <p class="lead">
        Any program that speaks MCP can be the agent. It needs this address and the key, and tells itself the rest: the
        command <code>setup</code> hands out its instructions.
      </p>
      <div class="card stack">
        <Snippet title="Address of the MCP endpoint" text={mcp_url} />
        <Snippet title="Settings of an MCP client, as most take them" text={JSON.stringify(settings, null, 2)} />
        <Snippet
          title="What to tell an assistant that has a browser"
          text={`Act as the agent of the account ${label}. Call the tool socialnet_command with the command setup, and follow the instructions that it answers.`}
        />
        <Snippet
          title="The browser agent that comes with Rostrum's source, which drives a network of its own to try it on"
          text={[
            "export NETWORK_URL=http://127.0.0.1:4600",
            "npx tsx examples/browser-agent/index.ts sign-in",
            `ROSTRUM_MCP_URL=${mcp_url} ROSTRUM_KEY=${bearer} npx tsx examples/browser-agent/index.ts`,
          ].join("\n")}
        >
          Its folder, <code>examples/browser-agent</code>, says how the network is started.
        </Snippet>
        <Snippet
          title="Only to see whether the key and the address work"
          text={`curl -s ${mcp_url.replace(/\/mcp$/, "/socialnet/actions")} -H 'Authorization: Bearer ${bearer}' -H 'Content-Type: application/json' -d '{"command":"setup"}'`}
        />
      </div>
    </Section>
  );
}

/** Something to be copied as it stands. */
function Snippet({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="snippet">
      <p>{title}</p>
      <div class="copy">
        <code>{text}</code>
        <button type="button" data-copy={text} aria-label={`Copy: ${title}`} hidden>
          Copy
        </button>
      </div>
      {children !== undefined && <p class="hint">{children}</p>}
    </div>
  );
}
