/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { amount } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";

export type Numbers = DataOf<"summarize_sequences">[number];

/** The enrollments of a sequence as people count them: those on hold are not active. */
export const NUMBERS = [
  { name: "Enrolled", count: ({ enrolled }: Numbers) => enrolled },
  {
    name: "Active",
    count: ({ by_status: { active, waiting_on_action }, on_hold }: Numbers) =>
      Math.max(0, active + waiting_on_action - on_hold),
  },
  { name: "On hold", count: ({ on_hold }: Numbers) => on_hold },
  { name: "Stopped by a reply", count: ({ by_status }: Numbers) => by_status.stopped_replied },
  { name: "Finished", count: ({ by_status }: Numbers) => by_status.completed },
] as const;

/** How a sequence does, in one line. */
export function SequenceNumbers({ numbers }: { numbers: Numbers }) {
  return (
    <dl class="tallies" aria-label="Contacts">
      {NUMBERS.map(({ name, count }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{amount(count(numbers))}</dd>
        </div>
      ))}
    </dl>
  );
}

type Channels = Pick<Numbers, "emails" | "social">;

interface StatusProps {
  status: string | null;
  channels: Channels | undefined;
}

/** The status of a sequence. An active one whose messages are not sent says so. */
export function SequenceStatus({ status, channels }: StatusProps) {
  const { workspace } = usePageContext();
  const unsent = status === "active" && channels !== undefined ? unsentOf(channels, workspace) : undefined;
  return unsent === undefined ? <Status of={status ?? "draft"} /> : <Status of="held" label={`Active, ${unsent}`} />;
}

/** What of an active sequence is not sent, whatever is due. */
function unsentOf({ emails, social }: Channels, { deployment, outreach }: PageContext["workspace"]) {
  if (emails === null && !social) return undefined;
  if (deployment.outbound_gate === "closed" || outreach.paused_at !== null) return "not sending";
  const noEmails = emails !== null && (emails === "files" || deployment.email === "none");
  const noSocial = social && deployment.socialnet_execution === "off";
  if ((noEmails || emails === null) && (noSocial || !social)) return "not sending";
  if (noEmails) return "emails not sent";
  return noSocial ? "social steps not sent" : undefined;
}
