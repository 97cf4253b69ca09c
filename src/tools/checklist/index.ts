import { approveReview } from "./approve-review.ts";
import { decideCard } from "./decide-card.ts";
import { decidePost } from "./decide-post.ts";
import { getAssessment } from "./get-assessment.ts";
import { getChecklistItemContext } from "./get-checklist-item-context.ts";
import { getProgress } from "./get-checklist-progress.ts";
import { getReview } from "./get-review.ts";
import { getVoice } from "./get-voice.ts";
import { listCards } from "./list-cards.ts";
import { listChecklistItems } from "./list-checklist-items.ts";
import { listDecidedReviews } from "./list-decided-reviews.ts";
import { listDueChecklistItems } from "./list-due-checklist-items.ts";
import { listPosts } from "./list-posts.ts";
import { listReview } from "./list-review.ts";
import { markChecklistItem } from "./mark-checklist-item.ts";
import { markPost } from "./mark-post.ts";
import { recordChecklistEvidence } from "./record-checklist-evidence.ts";
import { runAssessment } from "./run-assessment.ts";
import { saveBrandVoice } from "./save-brand-voice.ts";
import { saveProfileFacts } from "./save-profile-facts.ts";
import { saveSocialConnection } from "./save-social-connection.ts";
import { submitChecklistOutput } from "./submit-checklist-output.ts";
import { withdrawCard } from "./withdraw-card.ts";
import { withdrawPost } from "./withdraw-post.ts";

/** The social checklist, review, and what drafts are made from. */
export const checklistOperations = [
  listChecklistItems,
  listDueChecklistItems,
  getChecklistItemContext,
  submitChecklistOutput,
  recordChecklistEvidence,
  listReview,
  getReview,
  listDecidedReviews,
  approveReview,
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
  withdrawCard,
  withdrawPost,
] as const;
