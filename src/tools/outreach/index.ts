import { addSuppression } from "./add-suppression.ts";
import { applySequenceApproval } from "./apply-sequence-approval.ts";
import { approveSequence } from "./approve-sequence.ts";
import { countAudience } from "./count-audience.ts";
import { createSequence } from "./create-sequence.ts";
import { enrollAudience } from "./enroll-audience.ts";
import { enrollContact } from "./enroll-contact.ts";
import { getSequence } from "./get-sequence.ts";
import { listEnrollments } from "./list-enrollments.ts";
import { listSends } from "./list-sends.ts";
import { listSequences } from "./list-sequences.ts";
import { listSuppressions } from "./list-suppressions.ts";
import { pauseOutreach } from "./pause-outreach.ts";
import { previewAudience } from "./preview-audience.ts";
import { previewSequence } from "./preview-sequence.ts";
import { releaseEnrollment } from "./release-enrollment.ts";
import { resumeOutreach } from "./resume-outreach.ts";
import { setSendingPolicy } from "./set-sending-policy.ts";
import { setSequenceStatus } from "./set-sequence-status.ts";
import { settleSend } from "./settle-send.ts";
import { settleSends } from "./settle-sends.ts";
import { simulateSequence } from "./simulate-sequence.ts";
import { stopEnrollment } from "./stop-enrollment.ts";
import { summarizeSequences } from "./summarize-sequences.ts";
import { updateSequence } from "./update-sequence.ts";
import { withdrawSequenceApproval } from "./withdraw-sequence-approval.ts";

/** Sequences, enrollment, sending and the do-not-contact list. */
export const outreachOperations = [
  listSequences,
  enrollContact,
  addSuppression,
  createSequence,
  updateSequence,
  setSequenceStatus,
  getSequence,
  summarizeSequences,
  approveSequence,
  applySequenceApproval,
  withdrawSequenceApproval,
  listEnrollments,
  stopEnrollment,
  releaseEnrollment,
  listSends,
  settleSend,
  settleSends,
  simulateSequence,
  previewSequence,
  previewAudience,
  countAudience,
  enrollAudience,
  pauseOutreach,
  resumeOutreach,
  listSuppressions,
  setSendingPolicy,
] as const;
