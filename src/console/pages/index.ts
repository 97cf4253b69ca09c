import type { Screen } from "../app/screen.ts";
import { audit } from "./access/audit.tsx";
import { clientConnections } from "./access/client-connections.tsx";
import { emailSettings } from "./access/email.tsx";
import { keys } from "./access/keys.tsx";
import { members } from "./access/members.tsx";
import { serverStatus } from "./access/server.tsx";
import { signIns } from "./access/sign-ins.tsx";
import { workspaceSettings } from "./access/workspace.tsx";
import { checklist } from "./checklist/board.tsx";
import { dueNow } from "./checklist/due.tsx";
import { checklistItem } from "./checklist/item.tsx";
import { posts } from "./checklist/submissions.tsx";
import { brandVoice, connections, profileFacts } from "./checklist/voice.tsx";
import { account } from "./contacts/account.tsx";
import { accounts } from "./contacts/accounts.tsx";
import { contact } from "./contacts/contact.tsx";
import { deal } from "./contacts/deal.tsx";
import { deals, dealsAt, newDeal } from "./contacts/deals.tsx";
import { importContacts } from "./contacts/import.tsx";
import { contacts } from "./contacts/list.tsx";
import { deliveries } from "./events/deliveries.tsx";
import { subscriptions, webhooks } from "./events/webhooks.tsx";
import { conversation } from "./inbox/conversation.tsx";
import { inbox } from "./inbox/list.tsx";
import { audience } from "./outreach/audience.tsx";
import { editSequence, newSequence } from "./outreach/editor.tsx";
import { sequences } from "./outreach/list.tsx";
import { preview } from "./outreach/preview.tsx";
import { sends } from "./outreach/sends.tsx";
import { sequence } from "./outreach/sequence.tsx";
import { simulate } from "./outreach/simulate.tsx";
import { reviewTogether } from "./review/batch.tsx";
import { reviewDecided } from "./review/decided.tsx";
import { review, reviewOne } from "./review/review.tsx";
import { search } from "./search/search.tsx";
import { agentAccount } from "./socialnet/account.tsx";
import { agentAction } from "./socialnet/action.tsx";
import { connectAgent } from "./socialnet/connect.tsx";
import { agentHealth } from "./socialnet/health.tsx";
import { agents } from "./socialnet/list.tsx";
import { newAgentAccount } from "./socialnet/new.tsx";
import { planAction } from "./socialnet/plan.tsx";
import { agentRules } from "./socialnet/rules.tsx";
import { agentRuns } from "./socialnet/runs.tsx";
import { agentWork } from "./socialnet/work.tsx";
import { today } from "./today/today.tsx";

/** Every page of a workspace. A fixed path comes before a path with names that it would also match. */
export const screens: readonly Screen[] = [
  today,
  inbox,
  conversation,
  review,
  reviewDecided,
  reviewTogether,
  reviewOne,
  contacts,
  importContacts,
  contact,
  accounts,
  account,
  deals,
  newDeal,
  dealsAt,
  deal,
  sequences,
  newSequence,
  sends,
  sequence,
  editSequence,
  preview,
  simulate,
  audience,
  checklist,
  dueNow,
  posts,
  checklistItem,
  agents,
  newAgentAccount,
  agentWork,
  agentAccount,
  agentRules,
  agentHealth,
  agentRuns,
  connectAgent,
  planAction,
  agentAction,
  webhooks,
  subscriptions,
  deliveries,
  audit,
  signIns,
  members,
  keys,
  workspaceSettings,
  brandVoice,
  profileFacts,
  connections,
  emailSettings,
  serverStatus,
  clientConnections,
  search,
];
