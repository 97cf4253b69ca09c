import type { Screen } from "../screen.ts";
import { account, accounts } from "./accounts.tsx";
import { agentAccount } from "./agents/account.tsx";
import { agentAction } from "./agents/action.tsx";
import { connectAgent } from "./agents/connect.tsx";
import { agentHealth } from "./agents/health.tsx";
import { agents } from "./agents/list.tsx";
import { newAgentAccount } from "./agents/new.tsx";
import { planAction } from "./agents/plan.tsx";
import { agentRules } from "./agents/rules.tsx";
import { agentRuns } from "./agents/runs.tsx";
import { agentWork } from "./agents/work.tsx";
import { audit } from "./audit/changes.tsx";
import { signIns } from "./audit/sign-ins.tsx";
import { checklist } from "./checklist/board.tsx";
import { dueNow } from "./checklist/due.tsx";
import { checklistItem } from "./checklist/item.tsx";
import { posts } from "./checklist/posts.tsx";
import { contact } from "./contacts/contact.tsx";
import { contacts } from "./contacts/list.tsx";
import { deals } from "./deals/board.tsx";
import { dealsAt } from "./deals/column.tsx";
import { newDeal } from "./deals/new.tsx";
import { deliveries } from "./events/deliveries.tsx";
import { subscriptions } from "./events/subscriptions.tsx";
import { webhooks } from "./events/webhooks.tsx";
import { reviewDecided } from "./review/decided.tsx";
import { review, reviewOne } from "./review/review.tsx";
import { reviewTogether } from "./review/together.tsx";
import { audience } from "./sequences/audience.tsx";
import { editSequence, newSequence } from "./sequences/editor.tsx";
import { sequences } from "./sequences/list.tsx";
import { preview } from "./sequences/preview.tsx";
import { sends } from "./sequences/sends.tsx";
import { sequence } from "./sequences/sequence.tsx";
import { simulate } from "./sequences/simulate.tsx";
import { brandVoice } from "./settings/brand.tsx";
import { connections } from "./settings/connections.tsx";
import { keys } from "./settings/keys.tsx";
import { members } from "./settings/members.tsx";
import { profileFacts } from "./settings/profile.tsx";
import { workspaceSettings } from "./settings/workspace.tsx";
import { today } from "./today/today.tsx";

/** Every page of a workspace. A path without names stands before one that it would also fit. */
export const screens: readonly Screen[] = [
  today,
  review,
  reviewDecided,
  reviewTogether,
  reviewOne,
  contacts,
  contact,
  accounts,
  account,
  deals,
  newDeal,
  dealsAt,
  sequences,
  newSequence,
  sends,
  sequence,
  editSequence,
  preview,
  simulate,
  audience,
  ...[checklist, dueNow, posts, checklistItem],
  ...[
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
  ],
  webhooks,
  subscriptions,
  deliveries,
  audit,
  signIns,
  members,
  keys,
  workspaceSettings,
  ...[brandVoice, profileFacts, connections],
];
