import { answerByEmail } from "./answer-by-email.ts";
import { answerOnNetwork } from "./answer-on-network.ts";
import { approveAnswer } from "./approve-answer.ts";
import { assignConversation } from "./assign-conversation.ts";
import { cancelAnswer } from "./cancel-answer.ts";
import { editAnswer } from "./edit-answer.ts";
import { getConversation } from "./get-conversation.ts";
import { listConversations } from "./list-conversations.ts";
import { markConversation } from "./mark-conversation.ts";
import { markNotInterested } from "./mark-not-interested.ts";
import { markOutOfOffice } from "./mark-out-of-office.ts";
import { requestAnswerChange } from "./request-answer-change.ts";
import { snoozeConversation } from "./snooze-conversation.ts";

/** Replies of contacts, and the answers to them. */
export const inboxOperations = [
  listConversations,
  getConversation,
  markConversation,
  snoozeConversation,
  assignConversation,
  markNotInterested,
  markOutOfOffice,
  answerByEmail,
  answerOnNetwork,
  approveAnswer,
  editAnswer,
  cancelAnswer,
  requestAnswerChange,
] as const;
