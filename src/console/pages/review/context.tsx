/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, Facts, Time } from "../../ui/basics.tsx";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { type Around, isPartial, pathOf, type Whole } from "./load.ts";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Who proposed it, and what led to it. */
export function Explanation({ whole, around }: { whole: Whole; around: Around }) {
  const { href } = usePageContext();
  const { action, card, post, approval, sequence, item, proposed_by, own_proposal, before } = whole;
  const { key } = proposed_by;
  const since = action?.created_at ?? approval?.approved_at ?? (card ?? post)?.submitted_at ?? null;
  const by = (
    <>
      {proposed_by.name}
      {key !== null && (
        <span class="quiet">
          {" "}
          by the key <code>{key.prefix}…</code> of {key.creator}
          {key.account_label !== null && `, for ${key.account_label}`}
        </span>
      )}
      , <Time at={since} /> {own_proposal && <Chip tone="needs">Yours</Chip>}
    </>
  );
  const facts: [string, ComponentChildren][] = [["Proposed by", by]];
  if (whole.denied_before !== null) facts.push(["Denied before", <DeniedBefore whole={whole} />]);
  if (item !== null)
    facts.push([
      "For",
      <a href={href(`/checklist/${item.id}`)}>
        {item.id}: {opening(item.task)}
      </a>,
    ]);
  if (action !== null) {
    const { contact_id, contact_name, contact_company, account_id, account_label, account_profile_url } = action;
    const { sequence_id, sequence_name } = action;
    facts.push([
      "To",
      <>
        <a href={href(`/contacts/${contact_id}`)}>{revealed(contact_name ?? "No name")}</a>
        {contact_company !== null && `, ${revealed(contact_company)}`}
      </>,
    ]);
    facts.push([
      "Sent by",
      <>
        <a href={href(`/agents/${account_id}`)}>{account_label}</a>, <code>{revealed(account_profile_url)}</code>
      </>,
    ]);
    if (sequence_id !== null) {
      facts.push([
        "Because",
        <>
          <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>, step {(action.step ?? 0) + 1} of{" "}
          {action.step_count}
        </>,
      ]);
    }
    if (action.campaign !== null) facts.push(["Part of", action.campaign]);
    facts.push([
      "They last said",
      around.lastReply === undefined ? (
        <span class="quiet">No answer yet</span>
      ) : (
        <>
          <Time at={around.lastReply.created_at} />: {revealed(inShort(around.lastReply))}
          {around.lastReply.metadata.source === "public_api" && (
            <>
              {" "}
              <Chip>Agent</Chip>
            </>
          )}
        </>
      ),
    ]);
  }
  if (approval !== null && sequence !== null) {
    facts.push(["Sequence", <a href={href(`/sequences/${sequence.id}`)}>{sequence.name}</a>]);
    facts.push(["Audience", counted(approval.contact_count, "contact")]);
  }
  if (post?.suggested_for != null) facts.push(["Suggested for", <Time at={post.suggested_for} />]);
  if (post?.scheduled_for != null) facts.push(["To be published", <Time at={post.scheduled_for} />]);
  if (before !== null) facts.push(["Sent back before", `“${before.note}”`]);
  return <Facts facts={facts} />;
}

/** The beginning of what a contact said. */
function inShort({ body, subject, type }: NonNullable<Around["lastReply"]>): string {
  const characters = [...(body ?? subject ?? codeLabel(type))];
  return characters.length > MAX_REPLY ? `${characters.slice(0, MAX_REPLY).join("")}…` : characters.join("");
}

const MAX_REPLY = 300;

/** Whoever decides on another one reads how the last one ended. */
function DeniedBefore({ whole: { kind, denied_before, item } }: { whole: Whole }) {
  const { href } = usePageContext();
  if (denied_before === null) return null;
  const { count, id, note, decided_by, decided_at } = denied_before;
  const what = kind === "action" ? "to the same contact" : `for ${item?.id ?? "the same item"}`;
  return (
    <>
      <Chip tone="needs">{count === 1 ? "once" : `${amount(count)} times`}</Chip> {what}: by {decided_by},{" "}
      <Time at={decided_at} />
      {note !== null && <>: “{note}”</>} · <a href={href(pathOf({ kind, id }))}>Look at that one</a>
    </>
  );
}

/** What approving will do, in one line. */
export function Consequence({ whole, around }: { whole: Whole; around: Around }) {
  const { workspace } = usePageContext();
  return (
    <p class="consequence">
      {toLine(whole, around)}
      {whole.action !== null &&
        workspace.outreach.paused_at !== null &&
        " Outreach is paused: not before it is resumed."}
      {whole.action !== null &&
        workspace.deployment.socialnet_execution === "off" &&
        " This server lets no agent send yet: not before it is started with ROSTRUM_SOCIALNET_EXECUTION=on."}
    </p>
  );
}

function toLine(whole: Whole, { account }: Around): string {
  const { action, approval, sequence, kind, item } = whole;
  if (action !== null && account !== undefined) {
    const what = action.kind === "message" ? "send this" : "ask to connect with this";
    // A window holds back what a sequence plans; what a person plans goes at any hour.
    const at = action.origin === "engine" ? when(account) : "at any hour, as soon as it looks in";
    return `${account.label}'s agent may ${what} once, ${at}.`;
  }
  if (approval !== null && sequence !== null) {
    const to = isPartial(whole)
      ? `The ${counted(whole.audience.length, "contact")} on this page`
      : counted(approval.contact_count, "contact");
    const steps = sequence.steps.length === 1 ? "this one step" : `these ${sequence.steps.length} steps`;
    const going = sequence.status === "active" ? "" : ` once the sequence is active; now it is ${sequence.status}`;
    const others = isPartial(whole) ? " Review the others on their own page." : "";
    return `${to} can be enrolled from then on. They are sent ${steps}${going}.${others}`;
  }
  const task = item === null ? "its item" : item.id;
  if (kind === "card") return `Approving records ${task} as done. Nothing is sent anywhere.`;
  if (kind === "post") return "Approving publishes nothing: a person publishes it, and says so here.";
  return `Saying that it is published records ${task} as done.`;
}

function when({ windows, time_zone }: NonNullable<Around["account"]>): string {
  const [first, ...more] = windows;
  if (first === undefined) return "at any time";
  const on = first.days.length === 7 ? "on any day" : `on ${inDays(first.days)}`;
  return `between ${first.from} and ${first.to} ${on}${more.length > 0 ? " or in its other windows" : ""} (${time_zone})`;
}

/** Consecutive days are shown by the first and the last. */
function inDays(days: readonly number[]): string {
  const names = days.map((day) => WEEKDAYS[day - 1]);
  const inRow = days.length > 2 && days.every((day, i) => i === 0 || day === (days[i - 1] ?? 0) + 1);
  return inRow ? `${names[0]} to ${names.at(-1)}` : names.join(", ");
}

/** A task up to where its first part ends. */
function opening(task: string): string {
  return task.split(/(?<=[.])\s|:\s/)[0] ?? task;
}
