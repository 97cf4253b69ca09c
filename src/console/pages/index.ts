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
import { audit, signIns } from "./audit.tsx";
import { contact } from "./contacts/contact.tsx";
import { contacts } from "./contacts/list.tsx";
import { deals } from "./deals.tsx";
import { deliveries, webhooks } from "./events.tsx";
import { audience } from "./sequences/audience.tsx";
import { editSequence, newSequence } from "./sequences/editor.tsx";
import { sequences } from "./sequences/list.tsx";
import { sequence } from "./sequences/sequence.tsx";
import { keys } from "./settings/keys.tsx";
import { members } from "./settings/members.tsx";
import { workspaceSettings } from "./settings/workspace.tsx";
import { today } from "./today/today.tsx";

/** Every page of a workspace. A path without names stands before one that it would also fit. */
export const screens: readonly Screen[] = [
  today,
  contacts,
  contact,
  accounts,
  account,
  deals,
  sequences,
  newSequence,
  sequence,
  editSequence,
  audience,
  ...[agents, newAgentAccount, agentAccount, agentRules, agentHealth, agentRuns, connectAgent, planAction, agentAction],
  webhooks,
  deliveries,
  audit,
  signIns,
  members,
  keys,
  workspaceSettings,
];
