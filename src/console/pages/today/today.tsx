/** @jsxRuntime automatic @jsxImportSource preact */

import type { SYSTEM_ACTIVITIES, WRITABLE_ACTIVITIES } from "../../../domain/contacts/activity.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Section, Time } from "../../ui/basics.tsx";
import { amount, counted } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { latestWork, WorkFeed } from "../socialnet/work.tsx";
import { ATTENTION_SOURCES } from "./attention.ts";
import {
  type AttentionGroup,
  type AttentionItem,
  type AttentionSource,
  inGroups,
  inOrder,
  sumOf,
} from "./attention-item.ts";
import { GUIDE_FORMS, Guide, loadGuide } from "./guide.tsx";
import { Numbers } from "./numbers.tsx";
import { loadUpcoming, Upcoming } from "./upcoming.tsx";

export const today = screen({
  path: "/",
  title: "Today",
  needs: "get_workspace",
  forms: GUIDE_FORMS,
  async load(ctx) {
    const mine = ATTENTION_SOURCES.filter(({ needs, resolvedBy = needs }) => ctx.may(needs) && ctx.may(resolvedBy));
    const found = async (block: AttentionSource["block"]) => {
      const ofBlock = mine.filter((source) => source.block === block);
      return inOrder((await Promise.all(ofBlock.map((source) => source.find(ctx)))).flat());
    };
    const acts = mine.some(({ block }) => block === "needs_attention");
    const [guide, needsAttention, inProgress, digest, numbers, work, upcoming] = await Promise.all([
      loadGuide(ctx),
      found("needs_attention"),
      found("in_progress"),
      ctx.call("get_digest", {}),
      ctx.call("get_daily_numbers", {}),
      ctx.may("list_agent_work") ? latestWork(ctx, SHOWN_WORK) : [],
      loadUpcoming(ctx),
    ]);
    // The key of a first agent is suggested only where there is none.
    const offersKey =
      guide === undefined &&
      inProgress.length === 0 &&
      work.length === 0 &&
      ctx.may("list_keys") &&
      (await ctx.call("list_keys", { limit: 1 })).data.length === 0;
    const days = numbers.data.days;
    return { guide, acts, needsAttention, inProgress, offersKey, digest: digest.data, days, work, upcoming };
  },
  view: ({ guide, acts, needsAttention, inProgress, offersKey, digest, days, work, upcoming }, { href }) => (
    <>
      {guide && <Guide guide={guide} />}
      <div class="day" data-refresh="today">
        {acts && (guide === undefined || needsAttention.length > 0) && (
          <Section title="Needs attention">
            {needsAttention.length === 0 ? (
              <Empty title="You're all caught up">
                <p>Replies, approvals, failures and expiring keys show up here.</p>
              </Empty>
            ) : (
              <Attention items={needsAttention} />
            )}
          </Section>
        )}
        {(work.length > 0 || upcoming.items.length > 0) && (
          <div class="aside">
            <Upcoming upcoming={upcoming} />
            {work.length > 0 && (
              <Section title="What agents did">
                <WorkFeed groups={work} />
                <p class="hint below">
                  <a href={href("/agents/work")}>View all agent activity</a>
                </p>
              </Section>
            )}
          </div>
        )}
        <Numbers days={days} />
        {(guide === undefined || inProgress.length > 0) && (
          <Section title="In progress">
            {inProgress.length === 0 ? (
              <Empty title={offersKey ? "No activity yet" : "Nothing in progress"}>
                {offersKey && (
                  <p>
                    <a href={href("/settings/keys")}>Create an API key</a> to connect your first agent.
                  </p>
                )}
              </Empty>
            ) : (
              <Items items={inProgress} calm />
            )}
          </Section>
        )}
        {(guide === undefined || digest.news.some(isNews)) && <Digest digest={digest} />}
      </div>
    </>
  ),
});

/** The lines of agent activity that Today shows. */
const SHOWN_WORK = 6;

type News = DataOf<"get_digest">["news"][number];
type Labels = readonly [one: string, many: string];
type PageLink = readonly [path: string, query?: Record<string, string>];

/** What happened with contacts, singular and plural. */
const ACTIVITIES: Record<(typeof SYSTEM_ACTIVITIES | typeof WRITABLE_ACTIVITIES)[number], Labels> = {
  email_sent: ["email sent", "emails sent"],
  email_not_sent: ["email not sent (saved to a file)", "emails not sent (saved to files)"],
  email_reply: ["email reply", "email replies"],
  email_auto_reply: ["automatic email reply", "automatic email replies"],
  email_bounced: ["email bounced", "emails bounced"],
  socialnet_reply: ["social reply", "social replies"],
  socialnet_message_received: ["social message received", "social messages received"],
  socialnet_connected: ["connection accepted", "connections accepted"],
  socialnet_connection_sent: ["connection request sent", "connection requests sent"],
  socialnet_message_sent: ["social message sent", "social messages sent"],
  socialnet_message: ["social message logged", "social messages logged"],
  lifecycle_changed: ["contact changed stage", "contacts changed stage"],
  not_interested: ["contact not interested", "contacts not interested"],
  out_of_office: ["out-of-office reply", "out-of-office replies"],
  suppressed: ["contact added to the do-not-contact list", "contacts added to the do-not-contact list"],
  call_made: ["call made", "calls made"],
  call_received: ["call received", "calls received"],
  voicemail_left: ["voicemail left", "voicemails left"],
  sms_sent: ["SMS sent", "SMS sent"],
  meeting_booked: ["meeting booked", "meetings booked"],
  meeting_completed: ["meeting held", "meetings held"],
  note_added: ["note added", "notes added"],
};

/** What people and agents did. Other operations are shown by their title. */
const OPERATIONS: Record<string, Labels> = {
  create_contact: ["contact added", "contacts added"],
  assert_contact: ["contact added or updated by an agent", "contacts added or updated by agents"],
  update_contact: ["contact updated", "contacts updated"],
  add_contact_tags: ["contact tagged", "contacts tagged"],
  import_text: ["list of contacts imported", "lists of contacts imported"],
  import_contacts: ["batch of contacts imported", "batches of contacts imported"],
  archive_contact: ["contact archived", "contacts archived"],
  add_suppression: ["address added to the do-not-contact list", "addresses added to the do-not-contact list"],
  log_activity: ["activity logged", "activities logged"],
  confirm_meeting: ["meeting confirmed", "meetings confirmed"],
  confirm_deal: ["won deal confirmed", "won deals confirmed"],
  confirm_bant: ["BANT assessment confirmed", "BANT assessments confirmed"],
  confirm_company: ["company confirmed", "companies confirmed"],
  create_account: ["company added", "companies added"],
  update_account: ["company updated", "companies updated"],
  create_deal: ["deal added", "deals added"],
  add_deal: ["deal added", "deals added"],
  set_deal_stage: ["deal moved", "deals moved"],
  update_deal: ["deal updated", "deals updated"],
  create_sequence: ["sequence created", "sequences created"],
  update_sequence: ["sequence edited", "sequences edited"],
  set_sequence_status: ["sequence status change", "sequence status changes"],
  approve_sequence: ["audience approved", "audiences approved"],
  apply_sequence_approval: ["audience activated", "audiences activated"],
  withdraw_sequence_approval: ["audience approval withdrawn", "audience approvals withdrawn"],
  mark_conversation: ["conversation updated", "conversations updated"],
  snooze_conversation: ["conversation snoozed", "conversations snoozed"],
  assign_conversation: ["conversation assigned", "conversations assigned"],
  mark_not_interested: ["contact marked as not interested", "contacts marked as not interested"],
  mark_out_of_office: ["reply marked as out of office", "replies marked as out of office"],
  answer_by_email: ["answer by email", "answers by email"],
  answer_on_network: ["answer on the network", "answers on the network"],
  approve_answer: ["answer approved", "answers approved"],
  edit_answer: ["answer edited", "answers edited"],
  request_answer_change: ["change request for an answer", "change requests for answers"],
  request_action_change: ["change request for an action", "change requests for actions"],
  cancel_answer: ["answer canceled", "answers canceled"],
  enroll_contact: ["contact enrolled", "contacts enrolled"],
  enroll_audience: ["audience enrolled", "audiences enrolled"],
  stop_enrollment: ["contact removed from a sequence", "contacts removed from sequences"],
  release_enrollment: ["contact released", "contacts released"],
  settle_send: ["unconfirmed email resolved", "unconfirmed emails resolved"],
  settle_sends: ["unconfirmed email resolved", "unconfirmed emails resolved"],
  pause_outreach: ["outreach pause", "outreach pauses"],
  resume_outreach: ["outreach resumption", "outreach resumptions"],
  approve_review: ["batch approved in Review", "batches approved in Review"],
  decide_card: ["document reviewed", "documents reviewed"],
  withdraw_card: ["document approval withdrawn", "document approvals withdrawn"],
  withdraw_post: ["post approval withdrawn", "post approvals withdrawn"],
  withdraw_socialnet_action: ["action approval withdrawn", "action approvals withdrawn"],
  set_own_proposals: ["review setting changed", "review settings changed"],
  decide_post: ["post reviewed", "posts reviewed"],
  mark_post: ["post published or canceled", "posts published or canceled"],
  submit_checklist_output: ["checklist submission", "checklist submissions"],
  record_checklist_evidence: ["checklist evidence entry", "checklist evidence entries"],
  mark_checklist_item: ["checklist item updated", "checklist items updated"],
  run_assessment: ["checklist auto-check", "checklist auto-checks"],
  save_brand_voice: ["brand voice change", "brand voice changes"],
  save_profile_facts: ["profile facts change", "profile facts changes"],
  save_social_connection: ["channel saved", "channels saved"],
  create_socialnet_account: ["social account added", "social accounts added"],
  update_socialnet_account: ["social account updated", "social accounts updated"],
  request_reconnect: ["sign-in requested", "sign-ins requested"],
  plan_socialnet_action: ["action planned", "actions planned"],
  edit_socialnet_action: ["action edited", "actions edited"],
  approve_socialnet_action: ["action approved", "actions approved"],
  hold_socialnet_action: ["action put on hold", "actions put on hold"],
  release_socialnet_action: ["action released", "actions released"],
  cancel_socialnet_action: ["action canceled", "actions canceled"],
  settle_socialnet_action: ["unconfirmed action resolved", "unconfirmed actions resolved"],
  socialnet_command: ["report from a social agent", "reports from social agents"],
  subscribe_events: ["event subscription created or renewed", "event subscriptions created or renewed"],
  unsubscribe_events: ["event subscription ended", "event subscriptions ended"],
  create_webhook: ["webhook created", "webhooks created"],
  delete_webhook: ["webhook deleted", "webhooks deleted"],
  resend_delivery: ["delivery retried", "deliveries retried"],
  create_workspace: ["workspace created", "workspaces created"],
  set_mail_settings: ["email settings change", "email settings changes"],
  send_test_email: ["test message", "test messages"],
  add_sample_contacts: ["set of sample contacts added", "sets of sample contacts added"],
  remove_sample_contacts: ["set of sample contacts removed", "sets of sample contacts removed"],
  set_setup_guide: ["setup guide change", "setup guide changes"],
  back_up_server: ["backup", "backups"],
  set_plan: ["plan change", "plan changes"],
  set_billing: ["billing change", "billing changes"],
  set_sending_policy: ["sending settings change", "sending settings changes"],
  create_key: ["API key created", "API keys created"],
  revoke_key: ["API key revoked", "API keys revoked"],
  approve_connector: ["MCP client approved", "MCP clients approved"],
  invite_member: ["teammate invited", "teammates invited"],
  renew_invitation: ["invitation renewed", "invitations renewed"],
  accept_invitation: ["invitation accepted", "invitations accepted"],
  issue_password_reset: ["password reset link created", "password reset links created"],
  set_member: ["teammate updated", "teammates updated"],
  remove_member: ["teammate removed", "teammates removed"],
};

const find = (labels: Record<string, Labels>, kind: string) => (Object.hasOwn(labels, kind) ? labels[kind] : undefined);

export function newsLabels({ source, kind }: Pick<News, "source" | "kind">): Labels | undefined {
  return find(source === "audit" ? OPERATIONS : ACTIVITIES, kind);
}

/** Members know that their workspace was created, so these are not listed. */
const SETUP_OPERATIONS = ["set_up", "create_workspace"];

export const isNews = ({ source, kind }: Pick<News, "source" | "kind">): boolean =>
  source !== "audit" || !SETUP_OPERATIONS.includes(kind);

/** @param title the operation's title, for news without labels */
function newsText(news: News, title: string): string {
  const labels = newsLabels(news);
  if (labels !== undefined) return counted(news.count, ...labels);
  return `${title || codeLabel(news.kind)}${news.count === 1 ? "" : `, ${counted(news.count, "time")}`}`;
}

const PAGES: Partial<Record<string, PageLink>> = {
  email_reply: ["/inbox"],
  socialnet_reply: ["/inbox"],
  email_sent: ["/sequences/sends", { status: "sent" }],
  email_not_sent: ["/sequences/sends", { status: "written" }],
  email_bounced: ["/sequences/sends", { status: "failed" }],
  socialnet_connection_sent: ["/agents"],
  socialnet_message_sent: ["/agents"],
};

/** The page that shows it, or the closest one. */
function pageFor({ source, kind }: News): PageLink {
  return source === "audit" ? ["/audit", { action: kind }] : (PAGES[kind] ?? ["/contacts"]);
}

/** The number of kinds that the digest lists. */
const MAX_KINDS = 12;

/** Recent activity by kind, with links. */
function Digest({ digest: { since, first_visit, news } }: { digest: DataOf<"get_digest"> }) {
  const { href, may, titleOf } = usePageContext();
  const worth = news.filter(isNews);
  const shown = worth.slice(0, MAX_KINDS);
  const rest = worth.length - shown.length;
  return (
    <details class="past">
      <summary>
        <h2>{first_visit ? "Last 7 days" : "Since your last visit"}</h2>
        <span class="hint">
          {worth.length === 0 ? "No activity" : counted(worth.length, "type of activity", "types of activity")}
        </span>
      </summary>
      {!first_visit && (
        <p class="hint lead">
          Your last visit was <Time at={since} />.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title="No activity" />
      ) : (
        <ul class="tasks calm">
          {shown.map((one) => (
            <li key={`${one.source} ${one.kind}`}>
              <a href={href(...pageFor(one))}>{newsText(one, titleOf(one.kind))}</a>
              <span class="quiet">
                <Time at={one.latest_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <p class="hint below">
          {counted(rest, "more type", "more types")} of activity{" "}
          {may("list_audit") && <a href={href("/audit")}>View all activity</a>}
        </p>
      )}
    </details>
  );
}

const GROUP_NAMES: Record<AttentionGroup, string> = { decide: "Decide", fix: "Fix", know: "FYI" };

function Attention({ items }: { items: readonly AttentionItem[] }) {
  return (
    <>
      {inGroups(items).map(({ group, items: found }) => (
        <div key={group} class="group">
          <h3>
            {GROUP_NAMES[group]} <span class="hint">{amount(sumOf(found))}</span>
          </h3>
          <Items items={found} />
        </div>
      ))}
    </>
  );
}

function Items({ items, calm = false }: { items: readonly AttentionItem[]; calm?: boolean }) {
  const { href, sections } = usePageContext();
  return (
    <ul class={calm ? "tasks calm" : "tasks"}>
      {items.map(({ text, tone, label, verb, at, unread, to, query }) => {
        const section = sections.find(({ path }) => path !== "/" && (to === path || to.startsWith(`${path}/`)));
        return (
          <li key={`${to} ${text}`} class={unread ? "unread" : undefined}>
            <a href={href(to, query)}>
              {unread && <span class="hidden">Unread: </span>}
              {text}
            </a>
            {section !== undefined && <Icon name={section.icon} />}
            {label !== undefined && <Chip tone={tone}>{label}</Chip>}
            {at !== undefined && (
              <span class="age hint">
                <Time at={at} />
              </span>
            )}
            {verb !== undefined && <span class="verb quiet">{verb}</span>}
          </li>
        );
      })}
    </ul>
  );
}
