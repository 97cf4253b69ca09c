import { ACTION_STATUSES, type ActionStatus } from "../../../src/domain/socialnet/action.ts";
import type { AccountSettings, ActionRow, SocialnetAccountRow } from "../../../src/store/socialnet.ts";
import type { Store, WorkspaceStore } from "../../../src/store/store.ts";
import { idOf, insert, NOON, W1 } from "./fixtures.ts";

let made = 0x60_0000;
export const newId = () => idOf(made++);

export const TOKEN = Buffer.alloc(32, 7);
export const OTHER_TOKEN = Buffer.alloc(32, 8);

type NewAccount = AccountSettings & Pick<SocialnetAccountRow, "id" | "createdAt" | "updatedAt">;

export async function addAccount(
  store: Store,
  changes: Partial<NewAccount> = {},
  workspaceId = W1,
): Promise<SocialnetAccountRow> {
  const account: NewAccount = {
    id: newId(),
    label: "Ada's",
    profileUrl: "https://www.SocialNet.example/in/Ada/?x=1",
    automationMode: "approve_each",
    timeZone: "Europe/Berlin",
    ownerMemberId: null,
    windows: [{ days: [1, 5], from: "09:00", to: "24:00" }],
    dailyConnectionRequests: 20,
    dailyMessages: 40,
    createdAt: NOON,
    updatedAt: NOON,
    ...changes,
  };
  await store.write(workspaceId, ({ socialnetAccounts }) => socialnetAccounts.insert(account));
  return {
    ...account,
    session: null,
    sessionAt: null,
    sessionSince: null,
    heldReason: null,
    heldUntil: null,
    heldSince: null,
    schedules: null,
    checkInMinutes: null,
    schedulesAt: null,
  };
}

/** An account, a contact, and an action for them that has reached a status as usual. */
export async function ledger(store: Store, workspaceId = W1) {
  const account = await addAccount(store, {}, workspaceId);
  const fields = { first_name: "Grace", last_name: "Hopper", company: "Flow-Matic" };
  const { contact } = await insert(store, fields, { workspaceId });
  const add = async (changes: Partial<ActionRow> = {}): Promise<ActionRow> => {
    const row = action({ accountId: account.id, contactId: contact.id, ...changes });
    await store.write(workspaceId, ({ socialnetActions }) => socialnetActions.insert(row));
    return row;
  };
  return { account, contact, add };
}

export function action(changes: Pick<ActionRow, "accountId" | "contactId"> & Partial<ActionRow>): ActionRow {
  return {
    id: newId(),
    kind: "message",
    origin: "member",
    status: "planned",
    copy: "Hi 👩\u200d💻\n\"'",
    recipientUrl: "https://socialnet.example/in/grace",
    enrollmentId: null,
    sequenceId: null,
    step: null,
    stepCount: null,
    campaign: null,
    plannedBy: "Ada",
    plannedById: null,
    editedById: null,
    approvedBy: null,
    approvedAt: null,
    approvedEmailKey: null,
    heldFrom: null,
    changed: null,
    changeRequestedAt: null,
    stopWanted: null,
    leaseHash: null,
    leaseExpiresAt: null,
    outcome: null,
    note: null,
    createdAt: NOON,
    updatedAt: NOON,
    endedAt: null,
    ...changes,
  };
}

export const EVERY_STATUS: readonly ActionStatus[] = ACTION_STATUSES;

export const actionsOf = (store: Store, workspaceId = W1) => store.read(workspaceId).socialnetActions;

/** A write to the ledger. */
export const onActions = <T>(
  store: Store,
  job: (actions: WorkspaceStore["socialnetActions"]) => Promise<T>,
  workspaceId = W1,
) => store.write(workspaceId, ({ socialnetActions }) => job(socialnetActions));
