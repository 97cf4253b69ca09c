import { account, workspaces } from "./account.tsx";
import type { Door } from "./door.tsx";
import { forgotten } from "./forgotten.tsx";
import { invitation, reset, setup } from "./links.tsx";
import { signIn, signOut } from "./sign-in.tsx";
import { backFromProvider, beginAtProvider } from "./single-sign-on.tsx";

/** Every page that stands before the workspaces. */
export const doors: readonly Door[] = [
  signIn,
  signOut,
  forgotten,
  beginAtProvider,
  backFromProvider,
  setup,
  invitation,
  reset,
  workspaces,
  account,
];
