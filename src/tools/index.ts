import type { Operation } from "../core/operation.ts";
import { listEvents } from "../events/list-events.ts";
import { subscribeEvents } from "../events/subscribe-events.ts";
import { unsubscribeEvents } from "../events/unsubscribe-events.ts";
import { approveConnector } from "./access/approve-connector.ts";
import { createKey } from "./access/create-key.ts";
import { createWorkspace } from "./access/create-workspace.ts";
import { getWorkspace } from "./access/get-workspace.ts";
import { inviteMember } from "./access/invite-member.ts";
import { listKeys } from "./access/list-keys.ts";
import { listMembers } from "./access/list-members.ts";
import { removeMember } from "./access/remove-member.ts";
import { renewInvitation } from "./access/renew-invitation.ts";
import { revokeKey } from "./access/revoke-key.ts";
import { setBilling } from "./access/set-billing.ts";
import { setMember } from "./access/set-member.ts";
import { setPlan } from "./access/set-plan.ts";
import { approveReview } from "./checklist/approve-review.ts";
import { decideCard } from "./checklist/decide-card.ts";
import { decidePost } from "./checklist/decide-post.ts";
import { getAssessment } from "./checklist/get-assessment.ts";
import { getChecklistItemContext } from "./checklist/get-checklist-item-context.ts";
import { getProgress } from "./checklist/get-checklist-progress.ts";
import { getReview } from "./checklist/get-review.ts";
import { getVoice } from "./checklist/get-voice.ts";
import { listCards } from "./checklist/list-cards.ts";
import { listChecklistItems } from "./checklist/list-checklist-items.ts";
import { listDecidedReviews } from "./checklist/list-decided-reviews.ts";
import { listDueChecklistItems } from "./checklist/list-due-checklist-items.ts";
import { listPosts } from "./checklist/list-posts.ts";
import { listReview } from "./checklist/list-review.ts";
import { markChecklistItem } from "./checklist/mark-checklist-item.ts";
import { markPost } from "./checklist/mark-post.ts";
import { recordChecklistEvidence } from "./checklist/record-checklist-evidence.ts";
import { runAssessment } from "./checklist/run-assessment.ts";
import { saveBrandVoice } from "./checklist/save-brand-voice.ts";
import { saveProfileFacts } from "./checklist/save-profile-facts.ts";
import { saveSocialConnection } from "./checklist/save-social-connection.ts";
import { submitChecklistOutput } from "./checklist/submit-checklist-output.ts";
import { addContactTags } from "./contacts/add-contact-tags.ts";
import { archiveContact } from "./contacts/archive-contact.ts";
import { assertContact } from "./contacts/assert-contact.ts";
import { brainAccount } from "./contacts/brain-account.ts";
import { brainContact } from "./contacts/brain-contact.ts";
import { brainOpportunity } from "./contacts/brain-opportunity.ts";
import { confirmBant } from "./contacts/confirm-bant.ts";
import { confirmCompany } from "./contacts/confirm-company.ts";
import { confirmMeeting } from "./contacts/confirm-meeting.ts";
import { createAccount } from "./contacts/create-account.ts";
import { createContact } from "./contacts/create-contact.ts";
import { createDeal } from "./contacts/create-deal.ts";
import { filterContacts } from "./contacts/filter-contacts.ts";
import { findImport } from "./contacts/find-import.ts";
import { getContact } from "./contacts/get-contact.ts";
import { importContacts } from "./contacts/import-contacts.ts";
import { listAccounts } from "./contacts/list-accounts.ts";
import { listActivities } from "./contacts/list-activities.ts";
import { listContactTags } from "./contacts/list-contact-tags.ts";
import { listContacts } from "./contacts/list-contacts.ts";
import { listDealTotals } from "./contacts/list-deal-totals.ts";
import { listDeals } from "./contacts/list-deals.ts";
import { logActivity } from "./contacts/log-activity.ts";
import { queryContacts } from "./contacts/query-contacts.ts";
import { searchAccounts } from "./contacts/search-accounts.ts";
import { searchContacts } from "./contacts/search-contacts.ts";
import { setDealStage } from "./contacts/set-deal-stage.ts";
import { updateAccount } from "./contacts/update-account.ts";
import { updateContact } from "./contacts/update-contact.ts";
import { createWebhook } from "./events/create-webhook.ts";
import { deleteWebhook } from "./events/delete-webhook.ts";
import { listDeliveries } from "./events/list-deliveries.ts";
import { listSubscriptions } from "./events/list-subscriptions.ts";
import { listWebhooks } from "./events/list-webhooks.ts";
import { resendDelivery } from "./events/resend-delivery.ts";
import { addSuppression } from "./outreach/add-suppression.ts";
import { applySequenceApproval } from "./outreach/apply-sequence-approval.ts";
import { approveSequence } from "./outreach/approve-sequence.ts";
import { createSequence } from "./outreach/create-sequence.ts";
import { enrollAudience } from "./outreach/enroll-audience.ts";
import { enrollContact } from "./outreach/enroll-contact.ts";
import { getSequence } from "./outreach/get-sequence.ts";
import { listEnrollments } from "./outreach/list-enrollments.ts";
import { listSends } from "./outreach/list-sends.ts";
import { listSequences } from "./outreach/list-sequences.ts";
import { listSuppressions } from "./outreach/list-suppressions.ts";
import { pauseOutreach } from "./outreach/pause-outreach.ts";
import { previewSequence } from "./outreach/preview-sequence.ts";
import { releaseEnrollment } from "./outreach/release-enrollment.ts";
import { resumeOutreach } from "./outreach/resume-outreach.ts";
import { setSendingPolicy } from "./outreach/set-sending-policy.ts";
import { setSequenceStatus } from "./outreach/set-sequence-status.ts";
import { settleSend } from "./outreach/settle-send.ts";
import { simulateSequence } from "./outreach/simulate-sequence.ts";
import { stopEnrollment } from "./outreach/stop-enrollment.ts";
import { updateSequence } from "./outreach/update-sequence.ts";
import { withdrawSequenceApproval } from "./outreach/withdraw-sequence-approval.ts";
import { getDigest } from "./reports/get-digest.ts";
import { listAgentWork } from "./reports/list-agent-work.ts";
import { listAudit } from "./reports/list-audit.ts";
import { listAuthEvents } from "./reports/list-auth-events.ts";
import { approveSocialnetAction } from "./socialnet/approve-socialnet-action.ts";
import { cancelSocialnetAction } from "./socialnet/cancel-socialnet-action.ts";
import { createSocialnetAccount } from "./socialnet/create-socialnet-account.ts";
import { editSocialnetAction } from "./socialnet/edit-socialnet-action.ts";
import { getPlannedAction } from "./socialnet/get-planned-action.ts";
import { getSocialnetAccount } from "./socialnet/get-socialnet-account.ts";
import { holdSocialnetAction } from "./socialnet/hold-socialnet-action.ts";
import { listPlannedActions } from "./socialnet/list-planned-actions.ts";
import { listSocialnetAccounts } from "./socialnet/list-socialnet-accounts.ts";
import { listSocialnetActions } from "./socialnet/list-socialnet-actions.ts";
import { listSocialnetHealth } from "./socialnet/list-socialnet-health.ts";
import { listSocialnetRuns } from "./socialnet/list-socialnet-runs.ts";
import { planSocialnetAction } from "./socialnet/plan-socialnet-action.ts";
import { releaseSocialnetAction } from "./socialnet/release-socialnet-action.ts";
import { requestReconnect } from "./socialnet/request-reconnect.ts";
import { settleSocialnetAction } from "./socialnet/settle-socialnet-action.ts";
import { socialnetCommand } from "./socialnet/socialnet-command.ts";
import { updateSocialnetAccount } from "./socialnet/update-socialnet-account.ts";

/** THE list: every operation there is, in the order in which surfaces and documents show them. */
export const operations = [
  listContacts,
  createContact,
  assertContact,
  queryContacts,
  getContact,
  updateContact,
  addContactTags,
  logActivity,
  createDeal,
  listSequences,
  enrollContact,
  addSuppression,
  listChecklistItems,
  listDueChecklistItems,
  getChecklistItemContext,
  submitChecklistOutput,
  recordChecklistEvidence,
  listSocialnetActions,
  socialnetCommand,
  brainContact,
  brainAccount,
  brainOpportunity,
  searchContacts,
  filterContacts,
  listContactTags,
  listActivities,
  archiveContact,
  confirmMeeting,
  confirmBant,
  confirmCompany,
  listDeals,
  setDealStage,
  listDealTotals,
  importContacts,
  findImport,
  createAccount,
  updateAccount,
  listAccounts,
  searchAccounts,
  createSequence,
  updateSequence,
  setSequenceStatus,
  getSequence,
  approveSequence,
  applySequenceApproval,
  withdrawSequenceApproval,
  listEnrollments,
  stopEnrollment,
  releaseEnrollment,
  listSends,
  settleSend,
  simulateSequence,
  previewSequence,
  enrollAudience,
  pauseOutreach,
  resumeOutreach,
  listSuppressions,
  listReview,
  getReview,
  listDecidedReviews,
  approveReview,
  getDigest,
  listCards,
  decideCard,
  listPosts,
  decidePost,
  markPost,
  markChecklistItem,
  getProgress,
  getVoice,
  saveBrandVoice,
  saveProfileFacts,
  saveSocialConnection,
  getAssessment,
  runAssessment,
  listEvents,
  subscribeEvents,
  unsubscribeEvents,
  createWorkspace,
  getWorkspace,
  setPlan,
  setBilling,
  setSendingPolicy,
  createKey,
  listKeys,
  revokeKey,
  approveConnector,
  inviteMember,
  renewInvitation,
  setMember,
  removeMember,
  listMembers,
  createWebhook,
  listWebhooks,
  listSubscriptions,
  deleteWebhook,
  listDeliveries,
  resendDelivery,
  createSocialnetAccount,
  updateSocialnetAccount,
  listSocialnetAccounts,
  getSocialnetAccount,
  listSocialnetRuns,
  listSocialnetHealth,
  getPlannedAction,
  requestReconnect,
  planSocialnetAction,
  editSocialnetAction,
  approveSocialnetAction,
  holdSocialnetAction,
  releaseSocialnetAction,
  cancelSocialnetAction,
  settleSocialnetAction,
  listPlannedActions,
  listAudit,
  listAgentWork,
  listAuthEvents,
] as const satisfies readonly Operation[];
