import { approveSocialnetAction } from "./approve-socialnet-action.ts";
import { cancelSocialnetAction } from "./cancel-socialnet-action.ts";
import { createSocialnetAccount } from "./create-socialnet-account.ts";
import { editSocialnetAction } from "./edit-socialnet-action.ts";
import { getPlannedAction } from "./get-planned-action.ts";
import { getSocialnetAccount } from "./get-socialnet-account.ts";
import { holdSocialnetAction } from "./hold-socialnet-action.ts";
import { listPlannedActions } from "./list-planned-actions.ts";
import { listSocialnetAccounts } from "./list-socialnet-accounts.ts";
import { listSocialnetActions } from "./list-socialnet-actions.ts";
import { listSocialnetHealth } from "./list-socialnet-health.ts";
import { listSocialnetRuns } from "./list-socialnet-runs.ts";
import { planSocialnetAction } from "./plan-socialnet-action.ts";
import { previewAutomaticMode } from "./preview-automatic-mode.ts";
import { releaseSocialnetAction } from "./release-socialnet-action.ts";
import { requestActionChange } from "./request-action-change.ts";
import { requestReconnect } from "./request-reconnect.ts";
import { settleSocialnetAction } from "./settle-socialnet-action.ts";
import { socialnetCommand } from "./socialnet-command.ts";
import { updateSocialnetAccount } from "./update-socialnet-account.ts";
import { withdrawSocialnetAction } from "./withdraw-socialnet-action.ts";

/** Accounts on the professional network, their actions and the commands of their agents. */
export const socialnetOperations = [
  listSocialnetActions,
  socialnetCommand,
  createSocialnetAccount,
  updateSocialnetAccount,
  listSocialnetAccounts,
  getSocialnetAccount,
  previewAutomaticMode,
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
  withdrawSocialnetAction,
  requestActionChange,
] as const;
