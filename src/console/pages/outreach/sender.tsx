/** @jsxRuntime automatic @jsxImportSource preact */

import { type Step, usesAccount } from "../../../domain/outreach/sequence.ts";
import type { DataOf } from "../../app/operations.ts";
import { Address, Facts, Section } from "../../ui/basics.tsx";
import { ConnectEmail } from "../../ui/delivery.tsx";
import { revealed } from "../../ui/labels.ts";

/** Without a mail server, Rostrum uses an address of the reserved domain `.invalid`, which says nothing to a person. */
const isReal = (address: string | null): address is string => address !== null && !/\.invalid>?$/.test(address);

function NoAddress() {
  return (
    <>
      Not set. No mail server is connected, so emails aren't sent. <ConnectEmail />
    </>
  );
}

interface FromProps {
  name?: string | null;
  address: string | null;
}

/** The line that says who an email is from. */
export function From(props: FromProps) {
  return (
    <>
      From <FromAddress {...props} />
    </>
  );
}

/** Who an email is from. */
export function FromAddress({ name = null, address }: FromProps) {
  const sender = name === null ? "" : `${revealed(name)}, `;
  if (isReal(address)) {
    return (
      <>
        {sender}
        <code>
          <Address text={revealed(address)} />
        </code>
      </>
    );
  }
  return <>{sender}address not set, because no mail server is connected</>;
}

interface SentAsProps {
  sender: DataOf<"preview_audience">["sender"];
  steps: readonly Step[];
}

/** Who a sequence is sent as. An approval pins it, so every page that approves shows it. */
export function SentAs({ sender, steps }: SentAsProps) {
  return (
    <Section title="Sender">
      <Facts
        facts={[
          ["Sender name", sender.name === null ? "Not set" : revealed(sender.name)],
          ["From address", isReal(sender.mail_from) ? <Address text={revealed(sender.mail_from)} /> : <NoAddress />],
          ...(sender.profile_url === null
            ? usesAccount(steps)
              ? [["Social account", "Not set. Contacts are put on hold at social steps."] as const]
              : []
            : [["Social account", <Address text={revealed(sender.profile_url)} />] as const]),
        ]}
      />
    </Section>
  );
}
