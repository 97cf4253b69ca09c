/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { CLIENT_COMMANDS, CLIENT_STEPS } from "../../domain/access/client-commands.ts";
import { MCP_PATH } from "../../domain/access/oauth.ts";
import { usePageContext } from "../app/page-context.ts";
import { callsWithScopes, type ScopedCall, trialCall } from "../app/scope-map.ts";
import { Chip, Facts, Snippet } from "./basics.tsx";

/** The placeholder for the key in the commands, unless a key was just created. */
export const PLACEHOLDER = "ros_live_…";
const REST_PATH = "/api/v1";

interface Props {
  /** The key that was just created, which is shown once. */
  bearer?: string | undefined;
  scopes: readonly string[];
  /** The label of the account on the professional network that the key acts for. */
  account?: string | undefined;
  /** More ways to connect. */
  children?: ComponentChildren;
}

/** What a client or program needs to connect with an API key, to copy. */
export function Connecting({ bearer = PLACEHOLDER, scopes, account, children }: Props) {
  const { scopedCalls, address } = usePageContext();
  const opened = callsWithScopes(scopedCalls, scopes);
  const url = address(MCP_PATH);
  const entry = { type: "http", url, headers: { Authorization: `Bearer ${bearer}` } };
  const settings = { mcpServers: { [entryName(account)]: entry } };
  const tools = opened.filter(({ tool }) => tool);
  return (
    <div class="card stack connecting">
      {tools.length > 0 && (
        <>
          {bearer === PLACEHOLDER && (
            <p class="small">
              Replace <code>{PLACEHOLDER}</code> with your key.
            </p>
          )}
          <Snippet title="MCP endpoint" text={url} />
          <div class="clients">
            <p>Choose your client:</p>
            <ClientCommands url={url} bearer={bearer} entry={entryName(account)} />
            <OtherClients url={url} bearer={bearer} entry={entryName(account)} />
            <Client name="Another MCP client">
              <Snippet title="Settings for most MCP clients" text={JSON.stringify(settings, null, 2)} />
            </Client>
          </div>
          <Snippet
            title={account === undefined ? "Prompt for an assistant" : "Prompt for an assistant with a browser"}
            text={account === undefined ? TELL : tellAgentOf(account)}
          />
        </>
      )}
      <details class="more">
        <summary>For developers</summary>
        <div class="stack">
          {children}
          <Trial opened={opened} bearer={bearer} isBound={account !== undefined} />
        </div>
      </details>
      <p class="small quiet">
        {tools.length === 0 && "These permissions are for REST only. No MCP tool needs them. "}
        The account holder of a social account can also connect a client without a key, if the client supports OAuth.
        The account holder enters <code>{url}</code> in the client, signs in to Rostrum and approves the client. This
        requires the permission to approve outbound messages. The client can only read and send the actions of that
        account.
      </p>
    </div>
  );
}

interface ClientProps {
  url: string;
  bearer: string;
  /** What the client calls this server. */
  entry: string;
}

interface ClientEntryProps {
  name: string;
  open?: boolean;
  /** Whether our tests can't run it. */
  untested?: boolean;
  children: ComponentChildren;
}

/** One client of the list. Opening it closes the others. */
function Client({ name, open = false, untested = false, children }: ClientEntryProps) {
  return (
    <details name="client" open={open}>
      <summary>
        {name} {untested && <Chip>Not tested</Chip>}
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}

/** One line for each command-line client, run by `npm run clients`. */
function ClientCommands({ url, bearer, entry }: ClientProps) {
  return (
    <>
      {CLIENT_COMMANDS.map(({ id, name, command, variable }, i) => (
        <Client key={id} name={name} open={i === 0}>
          <Snippet title={`Connect ${name}`} text={command(url, bearer, entry)}>
            {variable && (
              <>
                {name} reads the key from <code>{variable(entry)}</code> whenever it runs. Set it in your shell profile
                too.
              </>
            )}
          </Snippet>
        </Client>
      ))}
    </>
  );
}

/** Steps for clients with a user interface, which our tests can't run. */
function OtherClients({ url, bearer, entry }: ClientProps) {
  return (
    <>
      {CLIENT_STEPS.map(({ id, name, steps, settings }) => (
        <Client key={id} name={name} untested>
          <p class="small quiet">
            These steps aren't tested. If they differ from your client's documentation, follow the documentation.
          </p>
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {settings === undefined ? (
            <Snippet title={"MCP endpoint"} text={url} />
          ) : (
            <Snippet title={`Settings for ${name}`} text={settings(url, bearer, entry)} />
          )}
        </Client>
      ))}
    </>
  );
}

const TELL =
  "Use the tools of the rostrum MCP server for this task. When an action needs approval, propose it and wait for a decision.";

const tellAgentOf = (account: string) =>
  `You are the agent for the social account ${account}. Call the tool socialnet_command with {"command": "setup"}, then follow the instructions it returns.`;

function Trial({ opened, bearer, isBound }: { opened: readonly ScopedCall[]; bearer: string; isBound: boolean }) {
  const { address } = usePageContext();
  const rest = address(REST_PATH);
  const curl = (path: string) => `curl -s ${rest}${path} -H 'Authorization: Bearer ${bearer}'`;
  const trial = trialCall(opened, isBound);
  const command = opened.find(({ scope, http }) => isBound && scope === "socialnet.execute" && http);
  const text = command?.http
    ? `${curl(command.http.path)} -H 'Content-Type: application/json' -d '{"command":"setup"}'`
    : trial?.http && curl(trial.http.path);
  const tested = command ?? trial;
  const title = bearer === PLACEHOLDER && tested ? `Test a key with ${tested.scope}` : "Test the key";
  return (
    <>
      {text !== undefined && <Snippet title={title} text={text} />}
      <p class="small quiet">
        REST calls go to <code>{rest}</code> with the header <code>Authorization: Bearer …</code>.{" "}
        {text === undefined && "There is no test call, because every call with these permissions changes data. "}
        <a href={address("/docs")}>API reference</a>
      </p>
    </>
  );
}

/** What a key can call with its scopes, over MCP and REST. */
export function AllowedCalls({ scopes }: { scopes: readonly string[] }) {
  const { scopedCalls } = usePageContext();
  const opened = callsWithScopes(scopedCalls, scopes);
  const tools = opened.filter(({ tool }) => tool).map(({ name }) => name);
  const routes = opened.flatMap(({ http }) => (http === undefined ? [] : [`${http.method} ${http.path}`]));
  return (
    <Facts
      facts={[
        [`MCP (${counted(tools.length, "tool")})`, <Codes of={tools} />],
        [`REST (${counted(routes.length, "call")})`, <Codes of={routes} />],
      ]}
    />
  );
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

function Codes({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <span class="quiet">None</span>;
  return (
    <>
      {of.map((code, i) => (
        <>
          {i > 0 && ", "}
          <code class="nowrap">{code}</code>
        </>
      ))}
    </>
  );
}

/** A client with several keys needs to tell them apart, so the key of an account is named after it. */
function entryName(account: string | undefined): string {
  const plain = account?.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return ["rostrum", ...plain].join("-");
}
