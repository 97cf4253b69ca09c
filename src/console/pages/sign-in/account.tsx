/** @jsxRuntime automatic @jsxImportSource preact */

import { Problem } from "../../../core/problem.ts";
import { goTo, type PageAnswer } from "../../app/respond.ts";
import { flashMessageCookie, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import {
  FormToken,
  fieldValue,
  NewPassword,
  renderSignInPage,
  type SignInPage,
  type SignInPageRequest,
  withoutPasswords,
} from "./layout.tsx";

/** Lists the workspaces of a member. */
export const workspaces: SignInPage = {
  name: "/console/workspaces",
  path: /^\/console\/workspaces$/,
  async answer({ request, session, signInService }) {
    if (session === undefined) return goTo("/console/sign-in");
    const all = await signInService.memberships(session);
    const children =
      all.length === 0 ? (
        <>
          <a href="/console/account">Your account</a>
          <SignOut />
        </>
      ) : (
        <ul class="picker">
          {all.map(({ workspaceId, workspaceName, member }) => (
            <li key={workspaceId}>
              <a href={`/console/w/${workspaceId}`}>
                <strong>{workspaceName}</strong>
                <span class="quiet">{codeLabel(member.role)}</span>
              </a>
            </li>
          ))}
        </ul>
      );
    const { email } = session.person;
    const lead =
      all.length === 0
        ? `You don't have access to a workspace yet. Ask a workspace admin to invite ${email}, then open the invitation link.`
        : undefined;
    return renderSignInPage(request, { title: "Your workspaces", lead, children });
  },
};

function SignOut() {
  return (
    <form method="post" action="/console/sign-out">
      <button type="submit">Sign out</button>
    </form>
  );
}

export const account: SignInPage = {
  name: "/console/account",
  path: /^\/console\/account$/,
  async answer(pageRequest) {
    const { session, form, signInService, signInRequest, cookieScope } = pageRequest;
    if (session === undefined) return goTo("/console/sign-in?next=%2Fconsole%2Faccount");
    if (form === undefined) return draw(pageRequest);
    try {
      const { token } = await signInService.changePassword(
        session,
        fieldValue(form, "current"),
        fieldValue(form, "password"),
        signInRequest,
      );
      return goTo(
        "/console",
        sessionCookie(cookieScope, token),
        flashMessageCookie(cookieScope, { operation: "change_password" }),
      );
    } catch (error) {
      if (error instanceof Problem) return draw(pageRequest, error);
      throw error;
    }
  },
};

async function draw(
  { request, session, form, signInService }: SignInPageRequest,
  problem?: Problem,
): Promise<PageAnswer> {
  const { name, email, hasPassword } = session?.person ?? { name: "", email: "", hasPassword: false };
  const children = (
    <>
      {hasPassword ? (
        <PlainForm id="account" failed={problem && { problem, typed: withoutPasswords(form) }}>
          <FormToken />
          <TextField name="current" type="password" label="Current password" autoComplete="current-password" required />
          <NewPassword label="New password" />
          <p class="hint">This signs out all other sessions.</p>
          <button type="submit" class="primary">
            Change password
          </button>
        </PlainForm>
      ) : (
        <p>
          This account has no password.{" "}
          {signInService.singleSignOn === undefined
            ? "Ask your server admin for a link to set one."
            : `You sign in with ${signInService.singleSignOn.name}.`}
        </p>
      )}
      <SignOut />
      <a href="/console">Back to console</a>
    </>
  );
  return renderSignInPage(request, { title: "Your account", lead: `${name}, ${email}`, children }, problem);
}
