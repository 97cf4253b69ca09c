import { account, workspaces } from "./account.tsx";
import { forgotten } from "./forgotten-password.tsx";
import type { SignInPage } from "./layout.tsx";
import { invitation, reset, setup } from "./links.tsx";
import { signIn, signOut } from "./sign-in.tsx";
import { backFromProvider, beginAtProvider } from "./single-sign-on.tsx";

/** The pages outside the workspaces, except the authorization of clients. */
export const signInPages: readonly SignInPage[] = [
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
