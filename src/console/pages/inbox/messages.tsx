/** @jsxRuntime automatic @jsxImportSource preact */

import { isSystemActivity, memberOf } from "../../../domain/contacts/activity.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Section, Time } from "../../ui/basics.tsx";
import { codeLabel, isRepeated, nameOf, revealed, sourceLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { Unsent } from "../contacts/timeline.tsx";
import type { OpenConversation } from "./labels.ts";

/** Messages that are open at most, so that the answer is written near the last reply. */
const SHOWN = 5;

/** How many of the messages, newest first, are open: the newest, and what it answers. */
function openCount(messages: readonly Message[]): number {
  const isInbound = ({ type }: Message) => INBOUND.includes(type);
  const [newest] = messages;
  const answered = messages.findIndex((message) => newest !== undefined && isInbound(message) !== isInbound(newest));
  return answered === -1 ? SHOWN : Math.min(answered + 1, SHOWN);
}

/** What was written in both directions. The newest is last, right above the answer. */
export function Messages({ open }: { open: OpenConversation }) {
  const { href } = usePageContext();
  const { messages, conversation } = open;
  const shown = openCount(messages);
  const earlier = messages.slice(shown);
  return (
    <Section
      title="Messages"
      action={
        <a class="small" href={href(`/contacts/${conversation.contact_id}`)}>
          View the full timeline
        </a>
      }
    >
      {earlier.length > 0 && (
        <details class="more">
          <summary>Earlier messages ({earlier.length})</summary>
          <MessageList open={open} messages={earlier.toReversed()} />
        </details>
      )}
      <MessageList open={open} messages={messages.slice(0, shown).toReversed()} />
    </Section>
  );
}

interface MessageListProps {
  open: OpenConversation;
  messages: readonly Message[];
}

function MessageList({ open: { contact, member_names }, messages }: MessageListProps) {
  return (
    <ol class="messages">
      {messages.map(({ id, type, subject, body, metadata, created_at }) => {
        const isInbound = INBOUND.includes(type);
        const writer = writerOf({ type, metadata }, member_names);
        const isMember = Object.hasOwn(member_names, memberOf(metadata) ?? "");
        return (
          <li key={id} class={isInbound ? "inbound" : undefined}>
            <Mark
              name={isInbound ? nameOf(contact) : writer.replace(/ \(.*/, "") || "Rostrum"}
              kind={isInbound || isMember ? "person" : isAgent(metadata) ? "agent" : "server"}
            />
            <div>
              <p class="entry">
                <span>
                  <strong>{codeLabel(type)}</strong>
                  {subject !== null && !isRepeated(type, subject) && <>: {revealed(subject)}</>}
                </span>
                <Time at={created_at} />
              </p>
              {body !== null && <p class="reading">{revealed(body)}</p>}
              {type === "email_not_sent" && <Unsent />}
              {writer !== "" && <p class="hint">{writer}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

type Message = OpenConversation["messages"][number];

const INBOUND = ["email_reply", "socialnet_reply", "socialnet_message_received", "email_auto_reply"];

const isAgent = ({ source }: Message["metadata"]) => source === "public_api" || source === "agent";

function writerOf({ type, metadata }: Pick<Message, "type" | "metadata">, names: Record<string, string>): string {
  // The metadata of other entries is their writer's own.
  if (isSystemActivity(type) && typeof metadata.from === "string") return revealed(metadata.from);
  if (INBOUND.includes(type) && isAgent(metadata)) return "Reported by an agent";
  const id = memberOf(metadata) ?? "";
  if (Object.hasOwn(names, id)) return String(names[id]);
  return typeof metadata.source === "string" ? sourceLabel(metadata.source) : "";
}
