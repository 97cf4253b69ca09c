import { account, workspaces } from "./account.tsx";
import { forgotten } from "./forgotten-password.tsx";
import type { SignInLayout } from "./layout.tsx";
import { invitation, reset, setup } from "./links.tsx";
import { signIn, signOut } from "./sign-in.tsx";
import { backFromProvider, beginAtProvider } from "./single-sign-on.tsx";

/** Every page that stands before the workspaces. */
export const signInPages: readonly SignInLayout[] = [
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
