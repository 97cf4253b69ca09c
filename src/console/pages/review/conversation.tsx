/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Chip, Time } from "../../ui/basics.tsx";
import { codeLabel, isRepeated, revealed } from "../../ui/labels.ts";
import { excerpt } from "./context.tsx";
import type { Around, Whole } from "./load.ts";

/** What the contact says, and not we. */
const INBOUND = ["email_reply", "socialnet_reply", "socialnet_message_received", "email_auto_reply", "call_received"];

interface Props {
  whole: Whole;
  around: Around;
  /** Whether the page shows only this proposal. Among several, the conversation is folded. */
  alone?: boolean;
}

/** What was written in both directions before this message, newest first. */
export function ConversationSoFar({ whole: { answer, action }, around: { conversation }, alone = true }: Props) {
  const { href } = usePageContext();
  const contactId = (answer ?? action)?.contact_id;
  if (contactId === undefined || conversation.length === 0) return null;
  return (
    <details class="more" open={alone}>
      <summary>Conversation so far</summary>
      <ol class="line">
        {conversation.map((entry) => (
          <li key={entry.id} class={INBOUND.includes(entry.type) ? "inbound" : undefined}>
            <Time at={entry.created_at} />
            <div>
              <strong>{codeLabel(entry.type)}</strong>
              {entry.subject !== null && !isRepeated(entry.type, entry.subject) && <>: {revealed(entry.subject)}</>}
              {entry.metadata.source === "public_api" && (
                <>
                  {" "}
                  <Chip>Agent</Chip>
                </>
              )}
              {entry.body !== null && <p class="reading">{revealed(excerpt(entry))}</p>}
            </div>
          </li>
        ))}
      </ol>
      <p class="hint">
        <a href={href(`/contacts/${contactId}`)}>View the full timeline</a>
      </p>
    </details>
  );
}
