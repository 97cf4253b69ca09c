/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { counted } from "../../figures.ts";
import { Empty, Section, Time } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";

type News = DataOf<"get_digest">["news"][number];

/** So many kinds are told by name. */
const MOST = 12;

/** What is worth more than its name, one and many. */
const WORDS: Record<string, readonly [one: string, many: string]> = {
  email_sent: ["e-mail went out", "e-mails went out"],
  email_reply: ["contact answered by e-mail", "contacts answered by e-mail"],
  email_bounced: ["e-mail came back", "e-mails came back"],
  socialnet_reply: ["contact answered on the network", "contacts answered on the network"],
  socialnet_connected: ["contact accepted a connection", "contacts accepted a connection"],
  socialnet_connection_sent: ["connection was asked for", "connections were asked for"],
  socialnet_message_sent: ["message went out on the network", "messages went out on the network"],
  lifecycle_changed: ["contact changed stage", "contacts changed stage"],
  suppressed: ["contact was put on the do-not-contact list", "contacts were put on the do-not-contact list"],
  meeting_booked: ["meeting was booked", "meetings were booked"],
  decide_card: ["document was decided on", "documents were decided on"],
  decide_post: ["post was decided on", "posts were decided on"],
  mark_post: ["post was published or cancelled", "posts were published or cancelled"],
  plan_socialnet_action: ["action was planned", "actions were planned"],
  approve_socialnet_action: ["action was approved", "actions were approved"],
  socialnet_command: ["step of an agent", "steps of agents"],
  hold_socialnet_action: ["action was held", "actions were held"],
  cancel_socialnet_action: ["action was cancelled", "actions were cancelled"],
  settle_socialnet_action: ["unknown outcome was settled", "unknown outcomes were settled"],
  invite_member: ["person was invited", "people were invited"],
  set_up: ["owner was set up", "owners were set up"],
  create_sequence: ["sequence was written", "sequences were written"],
  update_sequence: ["sequence was edited", "sequences were edited"],
  approve_sequence: ["audience was approved", "audiences were approved"],
  apply_sequence_approval: ["audience was put into force", "audiences were put into force"],
  create_key: ["key was made", "keys were made"],
  revoke_key: ["key was revoked", "keys were revoked"],
  run_assessment: ["assessment of the checklist was run", "assessments of the checklist were run"],
  mark_checklist_item: ["checklist item was marked", "checklist items were marked"],
  note_added: ["note was added", "notes were added"],
};

/** What happened meanwhile, by kind, and where it can be read. */
export function Digest({ digest: { since, first_visit, news } }: { digest: DataOf<"get_digest"> }) {
  const { href, titleOf } = useVisit();
  const told = news.slice(0, MOST);
  return (
    <Section title={first_visit ? "In the last week" : "Since you were last here"}>
      <p class="hint lead">
        Since <Time at={since} />.
      </p>
      {told.length === 0 ? (
        <Empty title="Nothing has happened" />
      ) : (
        <ul class="tasks">
          {told.map((one) => (
            <li key={`${one.source} ${one.kind}`}>
              <a href={href(one.source === "audit" ? "/audit" : "/contacts")}>{toSentence(one, titleOf)}</a>
              <span class="quiet">
                <Time at={one.latest_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {news.length > MOST && (
        <p class="hint">And {counted(news.length - MOST, "other kind", "other kinds")} of things.</p>
      )}
    </Section>
  );
}

function toSentence({ kind, count }: News, titleOf: (action: string) => string): string {
  const words = WORDS[kind];
  return words === undefined ? `${titleOf(kind)}: ${counted(count, "time", "times")}` : counted(count, ...words);
}
