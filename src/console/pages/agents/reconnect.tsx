/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Chip, Time } from "../../parts/basics.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import type { Account } from "./words.ts";

interface Step {
  name: string;
  say: ComponentChildren;
  done: boolean;
  at: string | null;
}

/**
 * The four steps of a reconnect. That the owner has signed in is seen by the first heartbeat after the acknowledgement that
 * wants no login and no captcha any more.
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

/** The agent is signed in, and nobody asks it to be so anew. */
export function isSteady({ session, reconnect }: Account): boolean {
  return session === "ready" && reconnect === null;
}

export function Reconnect({ account }: { account: Account }) {
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

/** Of an agent that works: when the owner last signed in for it, and how to ask for that anew. */
export function SignedIn({ account }: { account: Account }) {
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
