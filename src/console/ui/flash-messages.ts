import type { DataOf, OperationName } from "../app/operations.ts";
import { amount, counted } from "./format.ts";

interface Shown {
  operation: string;
  counts?: readonly number[];
}

export function flashMessageText({ operation, counts: [first, second = 0] = [] }: Shown): string {
  if (first !== undefined && Object.hasOwn(COUNTED, operation)) return String(COUNTED[operation]?.(first, second));
  return Object.hasOwn(MESSAGES, operation) ? String(MESSAGES[operation]) : "Done.";
}

type CountsOf = { [Name in OperationName]?: (data: DataOf<Name>) => readonly number[] };

/** The numbers of a result that its message contains. */
const COUNTS_OF: CountsOf = {
  update_sequence: ({ voided_approvals }) => [voided_approvals.length],
  enroll_audience: ({ enrolled, left }) => [enrolled, left],
  settle_sends: ({ settled, left }) => [settled, left],
  answer_by_email: ({ status }) => [Number(status === "approved")],
  answer_on_network: ({ status }) => [Number(status === "approved")],
  edit_socialnet_action: ({ status }) => [Number(status === "approved")],
  set_setup_guide: ({ hidden }) => [Number(hidden)],
  mark_out_of_office: ({ resumed }) => [resumed.length],
  send_test_email: ({ last_test }) => [last_test?.status === "accepted" ? 1 : 0],
};

export function flashCounts(operation: string, data: unknown): readonly number[] {
  const countsOf = COUNTS_OF[operation as OperationName] as ((data: unknown) => readonly number[]) | undefined;
  return countsOf?.(data) ?? [];
}

const COUNTED: Record<string, (first: number, second: number) => string> = {
  update_sequence: (voided) =>
    voided === 0
      ? "Sequence updated."
      : `Sequence updated. ${counted(voided, "approval")} ${voided === 1 ? "was" : "were"} canceled.`,
  enroll_audience: (enrolled, left) =>
    enrolled === 0
      ? "No contacts enrolled. None are eligible."
      : `${counted(enrolled, "contact")} enrolled.${left === 0 ? "" : ` ${amount(left)} more can be enrolled. Enroll again to add them.`}`,
  answer_by_email: (sends) =>
    sends === 1
      ? "Answer queued. You have at least 10 seconds to undo it in the conversation."
      : "Answer sent to review.",
  answer_on_network: (sends) =>
    sends === 1
      ? "Answer approved. The account's agent sends your answer as soon as sending is possible."
      : "Answer sent to review.",
  edit_socialnet_action: (approved) =>
    approved === 1 ? "Text updated and approved." : "Text updated. Read it again before you decide.",
  set_setup_guide: (hidden) =>
    hidden === 1
      ? "Setup guide hidden. You can show it again under Settings → Workspace."
      : "The setup guide is on your Today page again.",
  mark_out_of_office: (resumed) =>
    resumed === 0
      ? "Conversation marked as done."
      : `Conversation marked as done. ${counted(resumed, "sequence")} will continue later.`,
  send_test_email: (accepted) =>
    accepted === 1
      ? "Test message sent. Check that it arrived."
      : "The test message was not sent. See what went wrong above the form.",
  settle_sends: (settled, left) =>
    `${counted(settled, "email")} updated.${left === 0 ? "" : ` ${counted(left, "email")} still unconfirmed.`}`,
};

/** The message that a page shows after an operation. */
const MESSAGES: Record<string, string> = {
  unchanged: "No changes to save.",
  pause_outreach:
    "Outreach paused. Nothing new is sent until you resume it. Agents can still finish actions that they have already started.",
  resume_outreach: "Outreach resumed.",
  revoke_key: "Access revoked.",
  set_member: "Teammate updated.",
  remove_member: "Teammate removed. They no longer have access.",
  set_sending_policy: "Sending settings saved.",
  set_own_proposals: "Setting saved.",
  add_sample_contacts: "Sample contacts added.",
  remove_sample_contacts: "Sample contacts removed.",
  set_mail_settings: "Email settings saved. Send a test message to check them.",
  back_up_server: "Backup requested. Its result is shown under Backup.",
  set_plan: "Plan updated.",
  set_billing: "Billing updated.",
  create_contact: "Contact added.",
  update_contact: "Contact updated.",
  archive_contact:
    "Contact archived. Their sequences stopped. Unsent answers and social actions that hadn't started were canceled.",
  confirm_meeting: "Meeting confirmed.",
  confirm_bant: "BANT assessment saved.",
  confirm_company: "Company confirmed.",
  log_activity: "Activity logged.",
  add_suppression: "Address added to the do-not-contact list.",
  add_contact_tags: "Tags added.",
  confirm_deal: "Deal confirmed as won.",
  create_deal: "Deal added.",
  add_deal: "Deal added.",
  set_deal_stage: "Deal moved.",
  update_deal: "Deal saved.",
  create_account: "Company added.",
  update_account: "Company updated.",
  create_sequence: "Sequence saved as a draft.",
  set_sequence_status: "Sequence status updated.",
  approve_sequence: "Audience approved. After you activate it, you can enroll its contacts.",
  apply_sequence_approval:
    "Audience activated. Contacts who were waiting for this approval are no longer on hold. The others can now be enrolled.",
  withdraw_sequence_approval: "Approval withdrawn. This audience can't be activated.",
  approve_socialnet_action: "Action approved.",
  hold_socialnet_action: "Action put on hold. The agent won't get it until it's released.",
  release_socialnet_action: "Action released.",
  cancel_socialnet_action: "Action canceled. It won't be sent. You can plan a new action.",
  withdraw_socialnet_action:
    "Approval withdrawn. The agent won't get this action unless it's approved or released again.",
  withdraw_card: "Approval withdrawn. The document needs review again.",
  withdraw_post: "Approval withdrawn. The post needs review again.",
  decide_card: "Decision saved.",
  decide_post: "Decision saved.",
  approve_review: "Selected items approved.",
  mark_conversation: "Conversation updated.",
  snooze_conversation: "Conversation snoozed. A new reply ends the snooze.",
  assign_conversation: "Conversation assigned.",
  mark_not_interested: "All sequences for this contact are stopped, and the conversation is marked as done.",
  approve_answer: "Answer approved. You have at least 10 seconds to undo this.",
  edit_answer: "Text updated. Read it again before you decide.",
  request_answer_change: "Changes requested. The conversation is open again and shows your note.",
  request_action_change:
    "Changes requested. Your team sees your note on the Today page until a teammate edits the text.",
  cancel_answer: "Answer canceled. It won't be sent. Its conversation is open again.",
  enroll_contact: "Contact enrolled.",
  release_enrollment: "Contact released. Rostrum tries their current step again as soon as it can.",
  settle_send: "Outcome saved.",
  stop_enrollment: "Contact removed from the sequence.",
  run_assessment: "Auto-check complete.",
  mark_checklist_item: "Status updated.",
  mark_post: "Post status saved.",
  save_brand_voice: "Brand voice saved. Agents use it for their next draft.",
  save_profile_facts: "Facts saved. Agents are told to claim only these facts.",
  save_social_connection: "Channel saved.",
  create_socialnet_account: "Social account added. Connect its agent next.",
  update_socialnet_account: "Social account updated.",
  request_reconnect: "Sign-in requested. The agent gets the request at its next check-in.",
  plan_socialnet_action: "Action planned.",
  settle_socialnet_action: "Outcome saved.",
  delete_webhook: "Webhook deleted.",
  resend_delivery: "Sending the delivery again.",
  enter: "You're signed in.",
  change_password: "Password changed. All other sessions were signed out.",
};
