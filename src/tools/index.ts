import { listEvents } from "../events/list.ts";
import { subscribeEvents } from "../events/subscribe.ts";
import { unsubscribeEvents } from "../events/unsubscribe.ts";
import type { Operation } from "../operation.ts";
import { createAccount } from "./accounts/create.ts";
import { listAccounts } from "./accounts/list.ts";
import { searchAccounts } from "./accounts/search.ts";
import { updateAccount } from "./accounts/update.ts";
import { listActivities } from "./activities/list-activities.ts";
import { logActivity } from "./activities/log-activity.ts";
import { listAgentWork } from "./audit/list-agent-work.ts";
import { listAudit } from "./audit/list-audit.ts";
import { listAuthEvents } from "./audit/list-auth-events.ts";
import { brainAccount } from "./brain/account.ts";
import { brainContact } from "./brain/contact.ts";
import { brainOpportunity } from "./brain/opportunity.ts";
import { decideCard } from "./checklist/decide-card.ts";
import { decidePost } from "./checklist/decide-post.ts";
import { getAssessment } from "./checklist/get-assessment.ts";
import { getChecklistItemContext } from "./checklist/get-context.ts";
import { getProgress } from "./checklist/get-progress.ts";
import { getVoice } from "./checklist/get-voice.ts";
import { listCards } from "./checklist/list-cards.ts";
import { listDueChecklistItems } from "./checklist/list-due.ts";
import { listChecklistItems } from "./checklist/list-items.ts";
import { listPosts } from "./checklist/list-posts.ts";
import { markChecklistItem } from "./checklist/mark-item.ts";
import { markPost } from "./checklist/mark-post.ts";
import { recordChecklistEvidence } from "./checklist/record-evidence.ts";
import { runAssessment } from "./checklist/run-assessment.ts";
import { saveBrandVoice } from "./checklist/save-brand-voice.ts";
import { saveProfileFacts } from "./checklist/save-profile-facts.ts";
import { saveSocialConnection } from "./checklist/save-social-connection.ts";
import { submitChecklistOutput } from "./checklist/submit.ts";
import { archiveContact } from "./contacts/archive.ts";
import { assertContact } from "./contacts/assert.ts";
import { confirmBant } from "./contacts/confirm-bant.ts";
import { confirmCompany } from "./contacts/confirm-company.ts";
import { confirmMeeting } from "./contacts/confirm-meeting.ts";
import { createContact } from "./contacts/create.ts";
import { filterContacts } from "./contacts/filter.ts";
import { findImport } from "./contacts/find-import.ts";
import { getContact } from "./contacts/get.ts";
import { importContacts } from "./contacts/import.ts";
import { listContacts } from "./contacts/list.ts";
import { listContactTags } from "./contacts/list-tags.ts";
import { queryContacts } from "./contacts/query.ts";
import { searchContacts } from "./contacts/search.ts";
import { addContactTags } from "./contacts/tags.ts";
import { updateContact } from "./contacts/update.ts";
import { createDeal } from "./deals/create.ts";
import { listDeals } from "./deals/list.ts";
import { setDealStage } from "./deals/set-stage.ts";
import { listDealTotals } from "./deals/totals.ts";
import { approveConnector } from "./keys/approve-connector.ts";
import { createKey } from "./keys/create.ts";
import { listKeys } from "./keys/list.ts";
import { revokeKey } from "./keys/revoke.ts";
import { inviteMember } from "./members/invite.ts";
import { listMembers } from "./members/list.ts";
import { removeMember } from "./members/remove.ts";
import { renewInvitation } from "./members/renew-invitation.ts";
import { setMember } from "./members/set.ts";
import { approveReview } from "./review/approve.ts";
import { listDecidedReviews } from "./review/decided.ts";
import { getDigest } from "./review/digest.ts";
import { getReview } from "./review/get.ts";
import { listReview } from "./review/list.ts";
import { applySequenceApproval } from "./sequences/apply-approval.ts";
import { approveSequence } from "./sequences/approve.ts";
import { createSequence } from "./sequences/create.ts";
import { enrollContact } from "./sequences/enroll.ts";
import { enrollAudience } from "./sequences/enroll-audience.ts";
import { getSequence } from "./sequences/get.ts";
import { listSequences } from "./sequences/list.ts";
import { listEnrollments } from "./sequences/list-enrollments.ts";
import { listSends } from "./sequences/list-sends.ts";
import { previewSequence } from "./sequences/preview.ts";
import { releaseEnrollment } from "./sequences/release-enrollment.ts";
import { setSequenceStatus } from "./sequences/set-status.ts";
import { settleSend } from "./sequences/settle-send.ts";
import { simulateSequence } from "./sequences/simulate.ts";
import { stopEnrollment } from "./sequences/stop-enrollment.ts";
import { updateSequence } from "./sequences/update.ts";
import { withdrawSequenceApproval } from "./sequences/withdraw-approval.ts";
import { approveSocialnetAction } from "./socialnet/approve-action.ts";
import { cancelSocialnetAction } from "./socialnet/cancel-action.ts";
import { socialnetCommand } from "./socialnet/command.ts";
import { createSocialnetAccount } from "./socialnet/create-account.ts";
import { editSocialnetAction } from "./socialnet/edit-action.ts";
import { getSocialnetAccount } from "./socialnet/get-account.ts";
import { getPlannedAction } from "./socialnet/get-planned-action.ts";
import { holdSocialnetAction } from "./socialnet/hold-action.ts";
import { listSocialnetAccounts } from "./socialnet/list-accounts.ts";
import { listSocialnetActions } from "./socialnet/list-actions.ts";
import { listSocialnetHealth } from "./socialnet/list-health.ts";
import { listPlannedActions } from "./socialnet/list-planned-actions.ts";
import { listSocialnetRuns } from "./socialnet/list-runs.ts";
import { planSocialnetAction } from "./socialnet/plan-action.ts";
import { releaseSocialnetAction } from "./socialnet/release-action.ts";
import { requestReconnect } from "./socialnet/request-reconnect.ts";
import { settleSocialnetAction } from "./socialnet/settle-action.ts";
import { updateSocialnetAccount } from "./socialnet/update-account.ts";
import { addSuppression } from "./suppression/add.ts";
import { listSuppressions } from "./suppression/list.ts";
import { createWebhook } from "./webhooks/create.ts";
import { deleteWebhook } from "./webhooks/delete.ts";
import { listWebhooks } from "./webhooks/list.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { listSubscriptions } from "./webhooks/list-subscriptions.ts";
import { resendDelivery } from "./webhooks/resend.ts";
import { createWorkspace } from "./workspaces/create.ts";
import { getWorkspace } from "./workspaces/get.ts";
import { pauseOutreach } from "./workspaces/pause-outreach.ts";
import { resumeOutreach } from "./workspaces/resume-outreach.ts";
import { setBilling } from "./workspaces/set-billing.ts";
import { setPlan } from "./workspaces/set-plan.ts";
import { setSendingPolicy } from "./workspaces/set-sending-policy.ts";

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
