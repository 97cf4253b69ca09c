import { account, workspaces } from "./account.tsx";
import type { Door } from "./door.tsx";
import { invitation, reset, setup } from "./links.tsx";
import { signIn, signOut } from "./sign-in.tsx";

/** Every page that stands before the workspaces. */
export const doors: readonly Door[] = [signIn, signOut, setup, invitation, reset, workspaces, account];
