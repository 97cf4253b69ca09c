/** @jsxRuntime automatic @jsxImportSource preact */

import type { SYSTEM_ACTIVITIES, WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Section, Time } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { ATTENTION_SOURCES } from "./attention.ts";
import { type AttentionItem, type AttentionSource, inOrder } from "./attention-item.ts";

export const today = screen({
  path: "/",
  title: "Today",
  needs: "get_workspace",
  async load(ctx) {
    const found = async (block: AttentionSource["block"]) => {
      const mine = ATTENTION_SOURCES.filter((source) => source.block === block && ctx.may(source.needs));
      return inOrder((await Promise.all(mine.map((source) => source.find(ctx)))).flat());
    };
    const [needsYou, goingOn, digest] = await Promise.all([
      found("needs_you"),
      found("going_on"),
      ctx.call("get_digest", {}),
    ]);
    return { needsYou, goingOn, digest: digest.data };
  },
  view: ({ needsYou, goingOn, digest }, { href, may }) => (
    <div data-refresh="today">
      <Section title="Needs you">
        {needsYou.length === 0 ? <Empty title="Nothing waits for you" /> : <Tasks tasks={needsYou} />}
      </Section>
      <Section title="Going on">
        {goingOn.length === 0 ? (
          <Empty title="Nothing is under way">
            {may("list_keys") && (
              <p>
                Agents come in with a key: <a href={href("/settings/keys")}>make one</a>.
              </p>
            )}
          </Empty>
        ) : (
          <Tasks tasks={goingOn} />
        )}
      </Section>
      <Digest digest={digest} />
    </div>
  ),
});

type News = DataOf<"get_digest">["news"][number];
type Words = readonly [one: string, many: string];
type Where = readonly [path: string, query?: Record<string, string>];

/** What happened with contacts, one and many. */
const ACTIVITIES: Record<(typeof SYSTEM_ACTIVITIES | typeof WRITABLE_ACTIVITIES)[number], Words> = {
  email_sent: ["e-mail went out", "e-mails went out"],
  email_not_sent: ["e-mail was written to a file, not sent", "e-mails were written to files, not sent"],
  email_reply: ["contact answered by e-mail", "contacts answered by e-mail"],
  email_auto_reply: ["automatic answer came by e-mail", "automatic answers came by e-mail"],
  email_bounced: ["e-mail came back", "e-mails came back"],
  socialnet_reply: ["contact answered on the network", "contacts answered on the network"],
  socialnet_message_received: ["message came in on the network", "messages came in on the network"],
  socialnet_connected: ["contact accepted a connection", "contacts accepted a connection"],
  socialnet_connection_sent: ["connection was asked for", "connections were asked for"],
  socialnet_message_sent: ["message went out on the network", "messages went out on the network"],
  socialnet_message: ["message on the network was noted", "messages on the network were noted"],
  lifecycle_changed: ["contact changed stage", "contacts changed stage"],
  suppressed: ["contact was put on the do-not-contact list", "contacts were put on the do-not-contact list"],
  call_made: ["call was made", "calls were made"],
  call_received: ["call came in", "calls came in"],
  voicemail_left: ["voicemail was left", "voicemails were left"],
  sms_sent: ["SMS was sent", "SMS were sent"],
  meeting_booked: ["meeting was booked", "meetings were booked"],
  meeting_completed: ["meeting was held", "meetings were held"],
  note_added: ["note was added", "notes were added"],
};

/** What people and agents did. Anything else is shown by the title of its operation. */
const DEEDS: Record<string, Words> = {
  create_contact: ["contact was added", "contacts were added"],
  assert_contact: ["contact was added or updated by an agent", "contacts were added or updated by agents"],
  update_contact: ["contact was changed", "contacts were changed"],
  add_contact_tags: ["contact was tagged", "contacts were tagged"],
  import_contacts: ["part of a file was imported", "parts of files were imported"],
  archive_contact: ["contact was archived", "contacts were archived"],
  add_suppression: ["address was put on the do-not-contact list", "addresses were put on the do-not-contact list"],
  log_activity: ["entry was added to a timeline", "entries were added to timelines"],
  confirm_meeting: ["meeting was confirmed", "meetings were confirmed"],
  confirm_deal: ["won deal was confirmed", "won deals were confirmed"],
  confirm_bant: ["BANT assessment was confirmed", "BANT assessments were confirmed"],
  confirm_company: ["company was confirmed", "companies were confirmed"],
  create_account: ["account was added", "accounts were added"],
  update_account: ["account was changed", "accounts were changed"],
  create_deal: ["deal was added", "deals were added"],
  set_deal_stage: ["deal was moved", "deals were moved"],
  create_sequence: ["sequence was written", "sequences were written"],
  update_sequence: ["sequence was edited", "sequences were edited"],
  set_sequence_status: ["sequence's status was set", "statuses of sequences were set"],
  approve_sequence: ["audience was approved", "audiences were approved"],
  apply_sequence_approval: ["audience was activated", "audiences were activated"],
  withdraw_sequence_approval: ["approval of an audience was withdrawn", "approvals of audiences were withdrawn"],
  enroll_contact: ["contact was enrolled", "contacts were enrolled"],
  enroll_audience: ["audience was enrolled", "audiences were enrolled"],
  stop_enrollment: ["contact was taken out of a sequence", "contacts were taken out of sequences"],
  release_enrollment: ["held contact was released", "held contacts were released"],
  settle_send: ["e-mail of unknown outcome was settled", "e-mails of unknown outcome were settled"],
  settle_sends: ["e-mail of unknown outcome was settled", "e-mails of unknown outcome were settled"],
  pause_outreach: ["pause of outreach", "pauses of outreach"],
  resume_outreach: ["resumption of outreach", "resumptions of outreach"],
  approve_review: ["batch was approved in Review", "batches were approved in Review"],
  decide_card: ["document was decided on", "documents were decided on"],
  withdraw_card: ["decision on a document was withdrawn", "decisions on documents were withdrawn"],
  withdraw_post: ["approval of a post was withdrawn", "approvals of posts were withdrawn"],
  withdraw_socialnet_action: ["approval of an action was withdrawn", "approvals of actions were withdrawn"],
  set_own_proposals: ["rule for own proposals was changed", "rules for own proposals were changed"],
  decide_post: ["post was decided on", "posts were decided on"],
  mark_post: ["post was published or cancelled", "posts were published or cancelled"],
  submit_checklist_output: ["output of the checklist was handed in", "outputs of the checklist were handed in"],
  record_checklist_evidence: ["evidence was recorded for the checklist", "pieces of evidence were recorded"],
  mark_checklist_item: ["checklist item was marked", "checklist items were marked"],
  run_assessment: ["assessment of the checklist was run", "assessments of the checklist were run"],
  save_brand_voice: ["change of the brand voice", "changes of the brand voice"],
  save_profile_facts: ["change of the profile facts", "changes of the profile facts"],
  save_social_connection: ["social connection was saved", "social connections were saved"],
  create_socialnet_account: ["account on the network was added", "accounts on the network were added"],
  update_socialnet_account: ["account on the network was changed", "accounts on the network were changed"],
  request_reconnect: ["reconnect was asked for", "reconnects were asked for"],
  plan_socialnet_action: ["action was planned", "actions were planned"],
  edit_socialnet_action: ["action's text was changed", "actions' texts were changed"],
  approve_socialnet_action: ["action was approved", "actions were approved"],
  hold_socialnet_action: ["action was held", "actions were held"],
  release_socialnet_action: ["held action was released", "held actions were released"],
  cancel_socialnet_action: ["action was cancelled", "actions were cancelled"],
  settle_socialnet_action: ["unknown outcome was settled", "unknown outcomes were settled"],
  socialnet_command: ["step of an agent", "steps of agents"],
  subscribe_events: ["subscription of an agent began or was renewed", "subscriptions of agents began or were renewed"],
  unsubscribe_events: ["subscription of an agent ended", "subscriptions of agents ended"],
  create_webhook: ["webhook was registered", "webhooks were registered"],
  delete_webhook: ["webhook was deleted", "webhooks were deleted"],
  resend_delivery: ["delivery was sent again", "deliveries were sent again"],
  create_workspace: ["workspace was created", "workspaces were created"],
  set_plan: ["change of the plan", "changes of the plan"],
  set_billing: ["change of the billing", "changes of the billing"],
  set_sending_policy: ["change of the sending policy", "changes of the sending policy"],
  create_key: ["key was made", "keys were made"],
  revoke_key: ["key was revoked", "keys were revoked"],
  approve_connector: ["MCP client was let in", "MCP clients were let in"],
  invite_member: ["person was invited", "people were invited"],
  renew_invitation: ["invitation was renewed", "invitations were renewed"],
  accept_invitation: ["invitation was accepted", "invitations were accepted"],
  issue_password_reset: ["link for a new password was made", "links for new passwords were made"],
  set_member: ["member was changed", "members were changed"],
  remove_member: ["member was removed", "members were removed"],
};

/** These keys are not the names of any record. */
const find = (words: Record<string, Words>, kind: string) => (Object.hasOwn(words, kind) ? words[kind] : undefined);

export function wordsOf({ source, kind }: Pick<News, "source" | "kind">): Words | undefined {
  return find(source === "audit" ? DEEDS : ACTIVITIES, kind);
}

/** What made the workspace itself is no news to those who are in it. */
const BEGINNINGS = ["set_up", "create_workspace"];

export const isNews = ({ source, kind }: Pick<News, "source" | "kind">): boolean =>
  source !== "audit" || !BEGINNINGS.includes(kind);

/** @param title the product's label, for events without a text of their own */
function toSentence(news: News, title: string): string {
  const words = wordsOf(news);
  if (words !== undefined) return counted(news.count, ...words);
  return `${title || codeLabel(news.kind)}${news.count === 1 ? "" : `, ${counted(news.count, "time")}`}`;
}

const READ_AT: Partial<Record<string, Where>> = {
  email_sent: ["/sequences/sends", { status: "sent" }],
  email_not_sent: ["/sequences/sends", { status: "written" }],
  email_bounced: ["/sequences/sends", { status: "failed" }],
  socialnet_connection_sent: ["/agents"],
  socialnet_message_sent: ["/agents"],
};

/** The page that shows it, as near as there is one. */
function whereToRead({ source, kind }: News): Where {
  return source === "audit" ? ["/audit", { action: kind }] : (READ_AT[kind] ?? ["/contacts"]);
}

/** The digest names this many kinds. */
const MAX_KINDS = 12;

/** Recent activity by kind, with links. */
function Digest({ digest: { since, first_visit, news } }: { digest: DataOf<"get_digest"> }) {
  const { href, may, titleOf } = usePageContext();
  const worth = news.filter(isNews);
  const shown = worth.slice(0, MAX_KINDS);
  const rest = worth.length - shown.length;
  return (
    <Section title={first_visit ? "In the last week" : "Since you were last here"}>
      {!first_visit && (
        <p class="hint lead">
          That was <Time at={since} />.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title="Nothing has happened" />
      ) : (
        <ul class="tasks">
          {shown.map((one) => (
            <li key={`${one.source} ${one.kind}`}>
              <a href={href(...whereToRead(one))}>{toSentence(one, titleOf(one.kind))}</a>
              <span class="quiet">
                <Time at={one.latest_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <p class="hint below">
          And {counted(rest, "other kind", "other kinds")} of things
          {may("list_audit") && (
            <>
              : <a href={href("/audit")}>all that people did is in the audit</a>
            </>
          )}
          .
        </p>
      )}
    </Section>
  );
}

function Tasks({ tasks }: { tasks: readonly AttentionItem[] }) {
  const { href } = usePageContext();
  return (
    <ul class="tasks">
      {tasks.map(({ say, tone, word, to, query }) => (
        <li key={`${to} ${say}`}>
          <a href={href(to, query)}>{say}</a>
          {word !== undefined && <Chip tone={tone}>{word}</Chip>}
        </li>
      ))}
    </ul>
  );
}
