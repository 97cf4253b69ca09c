import { approveConnector } from "./approve-connector.ts";
import { backUpServer } from "./back-up-server.ts";
import { createKey } from "./create-key.ts";
import { createWorkspace } from "./create-workspace.ts";
import { getMailSettings } from "./get-mail-settings.ts";
import { getServer } from "./get-server.ts";
import { getSetupGuide } from "./get-setup-guide.ts";
import { getWorkspace } from "./get-workspace.ts";
import { getWorkspaceStatus } from "./get-workspace-status.ts";
import { inviteMember } from "./invite-member.ts";
import { listClientConnections } from "./list-client-connections.ts";
import { listKeys } from "./list-keys.ts";
import { listMembers } from "./list-members.ts";
import { removeMember } from "./remove-member.ts";
import { renewInvitation } from "./renew-invitation.ts";
import { revokeKey } from "./revoke-key.ts";
import { sendTestEmail } from "./send-test-email.ts";
import { setBilling } from "./set-billing.ts";
import { setMailSettings } from "./set-mail-settings.ts";
import { setMember } from "./set-member.ts";
import { setOwnProposals } from "./set-own-proposals.ts";
import { setPlan } from "./set-plan.ts";
import { setSetupGuide } from "./set-setup-guide.ts";

/** Workspaces, members, API keys and the server. */
export const accessOperations = [
  createWorkspace,
  getWorkspace,
  getWorkspaceStatus,
  setPlan,
  setBilling,
  setOwnProposals,
  getSetupGuide,
  setSetupGuide,
  createKey,
  listKeys,
  revokeKey,
  approveConnector,
  listClientConnections,
  inviteMember,
  renewInvitation,
  setMember,
  removeMember,
  listMembers,
  getServer,
  backUpServer,
  getMailSettings,
  setMailSettings,
  sendTestEmail,
] as const;
