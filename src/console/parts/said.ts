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
  enroll_contact: "The contact is enrolled.",
  enroll_audience:
    "Everybody of the audience who can be, up to 500, is enrolled; who still can be is enrolled by doing it again.",
  release_enrollment: "The engine looks at it again.",
  settle_send: "What became of the message is recorded.",
  stop_enrollment: "The contact is out of the sequence.",
  delete_webhook: "The webhook is gone.",
  resend_delivery: "The delivery is on its way again.",
  enter: "You are signed in.",
  change_password: "The password is changed, and all other sessions have ended.",
};

export function saidInWords(operation: string): string {
  return SAID[operation] ?? "Done.";
}
