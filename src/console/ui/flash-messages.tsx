import type { Problem } from "../../core/problem.ts";
import { usePageContext } from "../app/page-context.ts";
import { inWords } from "./labels.ts";

/** What has just been done, in words, by the operation that did it. */
const SAID: Record<string, string> = {
  pause_outreach: "Outreach is paused. Nobody is enrolled and nothing is sent until it is resumed.",
  resume_outreach: "Outreach goes on.",
  revoke_key: "The key is revoked. Its next use is refused.",
  set_member: "The member is changed.",
  remove_member: "The member is removed, and has lost access already.",
  set_sending_policy: "The sending policy is set.",
  set_plan: "The plan is set.",
  set_billing: "The billing is set.",
  create_contact: "The contact is here.",
  update_contact: "The contact is changed.",
  archive_contact: "The contact is archived, and taken out of every sequence.",
  confirm_meeting: "The meeting is confirmed.",
  confirm_bant: "The assessment is confirmed.",
  confirm_company: "The company is confirmed.",
  log_activity: "Noted.",
  add_suppression: "The address is on the do-not-contact list.",
  add_contact_tags: "The tags are added.",
  create_deal: "The deal is here.",
  set_deal_stage: "The deal is moved.",
  create_account: "The account is here.",
  update_account: "The account is changed.",
  create_sequence: "The sequence is here, as a draft.",
  update_sequence: "The sequence is changed. Approvals of what it read before are void if a step changed.",
  set_sequence_status: "The sequence's status is set.",
  approve_sequence: "The audience is approved. Nothing goes out until the approval is applied.",
  apply_sequence_approval: "The approval is in force: its contacts can be enrolled.",
  withdraw_sequence_approval: "The approval is withdrawn: nobody can put it into force.",
  approve_socialnet_action: "Approved: the account's agent may do it, once.",
  hold_socialnet_action: "Held: no agent gets it until somebody releases it.",
  release_socialnet_action: "Released.",
  edit_socialnet_action: "The text is changed. Read it once more, and decide.",
  cancel_socialnet_action: "Cancelled: it is never sent. The same can be planned anew.",
  decide_card: "Decided.",
  decide_post: "Decided.",
  approve_review: "All that you ticked is approved.",
  enroll_contact: "The contact is enrolled.",
  enroll_audience:
    "Everybody of the audience who can be, up to 500, is enrolled; who still can be is enrolled by doing it again.",
  release_enrollment: "The engine looks at it again.",
  settle_send: "What became of the message is recorded.",
  stop_enrollment: "The contact is out of the sequence.",
  run_assessment: "The checklist is assessed.",
  mark_checklist_item: "Your word is recorded.",
  mark_post: "What became of the post is recorded.",
  save_brand_voice: "The brand voice is saved. Agents read it from their next draft on.",
  save_profile_facts: "The facts are saved. Drafts may claim these alone.",
  save_social_connection: "The connection is saved.",
  create_socialnet_account: "The account is here. Now connect its agent.",
  update_socialnet_account: "The account is changed, and its agent is told.",
  request_reconnect: "The reconnect is asked for, and the agent is woken.",
  plan_socialnet_action: "The action is planned.",
  settle_socialnet_action: "It is settled.",
  delete_webhook: "The webhook is gone.",
  resend_delivery: "The delivery is on its way again.",
  enter: "You are signed in.",
  change_password: "The password is changed, and all other sessions have ended.",
};

export function flashMessageText(operation: string): string {
  return Object.hasOwn(SAID, operation) ? String(SAID[operation]) : "Done.";
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** Why a page cannot be shown, in the words of the API. */
export function Refusal({ problem }: { problem: Problem }) {
  const { href } = usePageContext();
  return (
    <div class="empty">
      <p>{problem.message}</p>
      <p class="quiet">
        <code>{problem.code}</code>
      </p>
      <p>
        <a href={href("/")}>Back to Today</a>
      </p>
    </div>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** What somebody typed into a form that is not there any more, to be copied. */
export function YouWrote({ words }: { words: readonly (readonly [name: string, text: string])[] }) {
  if (words.length === 0) return null;
  return (
    <dl class="wrote">
      {words.map(([name, text]) => (
        <div key={name}>
          <dt class="hint">{inWords(name)}</dt>
          <dd class="copytext">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
