/** @jsxRuntime automatic @jsxImportSource preact */

import { type ComponentChildren, Fragment } from "preact";
import { usePageContext } from "../../app/page-context.ts";
import type { WorkspaceStatus } from "../../app/sidebar.ts";
import { Appointment, Chip, Facts, Time } from "../../ui/basics.tsx";
import { amount, counted } from "../../ui/format.ts";
import { actorLabel, channelPlace, codeLabel, revealed } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { SocialSendingOff } from "../../ui/sending-off.tsx";
import { faultText } from "../outreach/hold-text.ts";
import { sendingText } from "../socialnet/sending.ts";
import { type Around, isPartial, needsChanges, pathOf, type Whole } from "./load.ts";

/** The server admin is no member, so only the ID is known. */
const authorName = ({ id, name }: { id: string | null; name: string }) =>
  name === id ? actorLabel(name, new Map()) : name;

/** Members have GUIDs. The server admin and sequences have none. */
const markOf = ({ id, key }: Whole["proposed_by"]) =>
  key !== null ? "agent" : /^[\da-f-]{36}$/.test(id ?? "") ? "person" : "server";

/** Who proposed it, and why. */
export function Explanation({ whole, around }: { whole: Whole; around: Around }) {
  const { href, actor } = usePageContext();
  const { answer, action, card, post, approval, sequence, item, proposed_by, edited_by, own_proposal, before } = whole;
  const { key } = proposed_by;
  const since = (answer ?? action)?.created_at ?? approval?.approved_at ?? (card ?? post)?.submitted_at ?? null;
  const own = <Chip tone="needs">Your proposal</Chip>;
  const isEditor = edited_by.some(({ id }) => id === actor.id);
  const by = (
    <>
      <Mark name={authorName(proposed_by)} kind={markOf(proposed_by)} small /> {authorName(proposed_by)}
      {key !== null && <span class="hidden"> (agent)</span>}
      {key !== null && key.account_label !== null && `, acting for ${key.account_label}`}, <Time at={since} />
      {key !== null && (
        <span class="quiet">
          . API key <code>{key.prefix}…</code>, created by {key.creator}.
        </span>
      )}{" "}
      {own_proposal && !isEditor && own}
    </>
  );
  const facts: [string, ComponentChildren][] = [[whole.kind === "sequence" ? "Approved by" : "Proposed by", by]];
  if (edited_by.length > 0) {
    facts.push([
      "Text edited by",
      <>
        {edited_by.map(authorName).join(", ")} {isEditor && own}
      </>,
    ]);
  }
  if (whole.denied_before !== null) {
    facts.push([action === null ? "Earlier rejections" : "Canceled actions", <RejectedBefore whole={whole} />]);
  }
  if (item !== null)
    facts.push([
      "Checklist item",
      <a href={href(`/checklist/${item.id}`)}>
        {item.id}: {firstPart(item.task)}
      </a>,
    ]);
  if (answer !== null) {
    const { contact_id, last_message, last_reply, note } = answer;
    if (last_message !== null) facts.push(["Last message", <Said entry={last_message} of={contact_id} />]);
    facts.push(["Last reply", last_reply === null ? null : <Said entry={last_reply} of={contact_id} />]);
    if (note !== null) facts.push([needsChanges(whole) ? "Changes requested" : "Note", revealed(faultText(note))]);
  }
  if (action !== null) {
    const { contact_id, sequence_id, sequence_name } = action;
    if (sequence_id !== null) {
      facts.push([
        "Sequence",
        <>
          <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>, step {(action.step ?? 0) + 1} of{" "}
          {action.step_count}
        </>,
      ]);
    }
    if (action.campaign !== null) facts.push(["Campaign", revealed(action.campaign)]);
    if (action.note !== null)
      facts.push([needsChanges(whole) ? "Changes requested" : "Status note", revealed(action.note)]);
    facts.push([
      "Last reply",
      around.said.length === 0 ? (
        <span class="quiet">No reply yet</span>
      ) : (
        around.said.map((entry, i) => (
          <Fragment key={entry.id}>
            {i > 0 && <br />}
            <Said entry={entry} of={contact_id} />
          </Fragment>
        ))
      ),
    ]);
  }
  if (approval !== null && sequence !== null) {
    facts.push(["Sequence", <a href={href(`/sequences/${sequence.id}`)}>{sequence.name}</a>]);
    facts.push(["Audience", counted(approval.contact_count, "contact")]);
  }
  if (post?.suggested_for != null) facts.push(["Suggested for", <Appointment at={post.suggested_for} />]);
  if (post?.scheduled_for != null) facts.push(["Publish time", <Appointment at={post.scheduled_for} />]);
  if (before !== null && before.note !== null && !needsChanges(whole)) {
    facts.push([
      "Changes requested on the previous version",
      `“${revealed(before.note)}”${before.decided_by === null ? "" : `, by ${before.decided_by}`}`,
    ]);
  }
  return <Facts facts={facts} />;
}

type Entry = Around["said"][number];

/** What a member reads of a contact's replies before they approve a message. */
export function LastReply({ reply, of }: { reply: Entry | null; of: string }) {
  if (reply === null) return <p class="small quiet">No reply yet</p>;
  return (
    <p class="small">
      Last reply <Said entry={reply} of={of} />
    </p>
  );
}

/** What a contact said, or another one with the same profile. */
export function Said({ entry, of }: { entry: Entry; of: string }) {
  const { href } = usePageContext();
  const { contact_id, created_at, metadata } = entry;
  return (
    <>
      <Time at={created_at} />: {revealed(excerpt(entry))}
      {contact_id !== of && (
        <>
          {" "}
          (<a href={href(`/contacts/${contact_id}`)}>another contact with this profile</a>)
        </>
      )}
      {metadata.source === "public_api" && (
        <>
          {" "}
          <Chip>Agent</Chip>
        </>
      )}
    </>
  );
}

/** The beginning of a reply. */
export function excerpt({ body, subject, type }: Pick<Entry, "body" | "subject" | "type">): string {
  const characters = [...(body ?? subject ?? codeLabel(type))];
  return characters.length > MAX_REPLY ? `${characters.slice(0, MAX_REPLY).join("")}…` : characters.join("");
}

const MAX_REPLY = 300;

/** Earlier rejections of similar proposals. */
function RejectedBefore({ whole: { kind, denied_before, item } }: { whole: Whole }) {
  const { href } = usePageContext();
  if (denied_before === null) return null;
  const { count, id, note, decided_by, decided_at } = denied_before;
  const what = kind === "action" ? "for this contact" : `for ${item?.id ?? "the same item"}`;
  const decided = kind === "action" ? "canceled" : "rejected";
  const by = count === 1 ? decided.charAt(0).toUpperCase() + decided.slice(1) : `Last ${decided}`;
  return (
    <>
      <Chip tone="needs">{amount(count)}</Chip> {what}. {by} by {decided_by}, <Time at={decided_at} />
      {note !== null && <>: “{note}”</>} · <a href={href(pathOf({ kind, id }))}>View proposal</a>
    </>
  );
}

/** The effect of an approval, in one line. */
export function Consequence({ whole, around }: { whole: Whole; around: Around }) {
  const { workspace } = usePageContext();
  return (
    <p class="consequence">
      {effectText(whole, around, workspace)} {whole.action !== null && <SocialSendingOff />}
    </p>
  );
}

function answerEffect({ delivery }: NonNullable<Whole["answer"]>, { deployment, outreach }: WorkspaceStatus): string {
  const isFile = delivery === "files";
  if (!isFile && deployment.email === "none")
    return "No mail server is connected, so the answer can't be sent. Ask a super admin or your server admin to connect a mail server, then approve the answer.";
  const waits =
    deployment.outbound_gate === "closed"
      ? "Sending is off on this server, so the answer waits until your server admin turns sending on."
      : outreach.paused_at === null
        ? "You have at least 10 seconds to undo this."
        : "Outreach is paused, so the answer waits until an admin resumes outreach.";
  if (isFile) return `Approving saves this answer to a file instead of sending it. ${waits}`;
  return `Approving sends this email once, in the contact's thread. ${waits} If the contact replies before the answer is sent, it needs review again.`;
}

/** What an inactive sequence is, after "The sequence is". */
const INACTIVE: Record<string, string> = { draft: "still a draft", paused: "paused", archived: "archived" };

export function effectText(whole: Whole, { account }: Around, workspace: WorkspaceStatus): string {
  const { action, approval, sequence, kind, item, post } = whole;
  if (whole.answer !== null) return answerEffect(whole.answer, workspace);
  if (action !== null && account !== undefined) return sendingText(action, account, workspace);
  if (approval !== null && sequence !== null) {
    const covers = isPartial(whole)
      ? `Activating covers the ${counted(whole.audience.length, "contact")} on this page.`
      : `Activating covers ${counted(approval.contact_count, "contact")}.`;
    const steps = sequence.steps.length === 1 ? "this step" : `these ${sequence.steps.length} steps`;
    const { status } = sequence;
    const now = status === null || status === "active" ? "" : ` The sequence is ${INACTIVE[status]}.`;
    const start = status === "active" ? "." : ` once the sequence is active.${now}`;
    const others = isPartial(whole) ? " Review the other contacts on the other pages of this audience." : "";
    const means = "The approval locked in the contacts and the text.";
    const then =
      "After you activate the audience, contacts who are on hold for this approval continue in the sequence, and the others can be enrolled.";
    return `${means} ${covers} ${then} Enrolled contacts get ${steps}${start}${others}`;
  }
  const task = item === null ? "its checklist item" : item.id;
  if (kind === "card" && item === null) return "Nothing is sent.";
  // A recurring item may have a check of its own, which decides when it is done.
  if (kind === "card")
    return `Approving ${item?.kind === "one_time" ? "completes" : "counts toward"} ${task}. Nothing is sent.`;
  if (kind === "post")
    return "Approving doesn't publish anything. A teammate publishes the post, then marks it as published here.";
  const where = post?.platform == null ? "" : ` on ${channelPlace(post.platform)}`;
  return `Publish this post${where} yourself, then mark it as published. The published post counts toward ${task}.`;
}

/** The first sentence or part of a task. */
function firstPart(task: string): string {
  return task.split(/(?<=[.])\s|:\s/)[0] ?? task;
}
