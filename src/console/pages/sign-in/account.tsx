import { Problem } from "../../../core/problem.ts";
import { goTo, type PageAnswer } from "../../app/respond.ts";
import { flashMessageCookie, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { type Ask, entrancePage, NewPassword, OnceToken, type SignInLayout, shownAgain, typedIn } from "./layout.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

/** Which workspace, for those who are members of several. */
export const workspaces: SignInLayout = {
  name: "/console/workspaces",
  path: /^\/console\/workspaces$/,
  async answer({ request, visitor, entrance }) {
    if (visitor === undefined) return goTo("/console/sign-in");
    const all = await entrance.memberships(visitor);
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
                <span class="quiet">{member.role}</span>
              </a>
            </li>
          ))}
        </ul>
      );
    const { email } = visitor.person;
    const lead =
      all.length === 0
        ? `You are a member of no workspace. Ask an administrator of yours to invite ${email}, then open the link that they give you.`
        : undefined;
    return entrancePage(request, { title: "Your workspaces", lead, children });
  },
};

function SignOut() {
  return (
    <form method="post" action="/console/sign-out">
      <button type="submit">Sign out</button>
    </form>
  );
}

export const account: SignInLayout = {
  name: "/console/account",
  path: /^\/console\/account$/,
  async answer(ask) {
    const { visitor, form, entrance, arrival, place } = ask;
    if (visitor === undefined) return goTo("/console/sign-in?next=%2Fconsole%2Faccount");
    if (form === undefined) return draw(ask);
    try {
      const { token } = await entrance.changePassword(
        visitor,
        typedIn(form, "current"),
        typedIn(form, "password"),
        arrival,
      );
      return goTo("/console", sessionCookie(place, token), flashMessageCookie(place, "change_password"));
    } catch (error) {
      if (error instanceof Problem) return draw(ask, error);
      throw error;
    }
  },
};

async function draw({ request, visitor, form, entrance }: Ask, problem?: Problem): Promise<PageAnswer> {
  const { name, email, hasPassword } = visitor?.person ?? { name: "", email: "", hasPassword: false };
  const children = (
    <>
      {hasPassword ? (
        <PlainForm id="account" failed={problem && { problem, typed: shownAgain(form) }}>
          <OnceToken />
          <TextField name="current" type="password" label="Current password" autoComplete="current-password" required />
          <NewPassword label="New password" />
          <button type="submit" class="primary">
            Change the password and end all other sessions
          </button>
        </PlainForm>
      ) : (
        <p>
          This account has no password:{" "}
          {entrance.singleSignOn === undefined
            ? "it is entered by a link, as a demo's is."
            : `you sign in with ${entrance.singleSignOn.name}.`}
        </p>
      )}
      <SignOut />
      <a href="/console">Back to the console</a>
    </>
  );
  return entrancePage(request, { title: "Your account", lead: `${name}, ${email}`, children }, problem);
}
