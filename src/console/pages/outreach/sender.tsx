/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { Facts, Section } from "../../ui/basics.tsx";
import { revealed } from "../../ui/labels.ts";

/** Who a sequence is sent as. An approval pins it, so every page that approves shows it. */
export function SentAs({ sender }: { sender: DataOf<"preview_audience">["sender"] }) {
  return (
    <Section title="Sender">
      <Facts
        facts={[
          ["Sender name", sender.name === null ? "Not set" : revealed(sender.name)],
          ["From address", sender.mail_from === null ? "Not set" : revealed(sender.mail_from)],
          ...(sender.profile_url === null ? [] : [["Social account", revealed(sender.profile_url)] as const]),
        ]}
      />
    </Section>
  );
}
