/** @jsxRuntime automatic @jsxImportSource preact */

import { Problem, problem } from "../../../core/problem.ts";
import { emailKey } from "../../../domain/contacts/address.ts";
import { isLocalRequest } from "../../../http/server.ts";
import type { Typed } from "../../app/form-data.ts";
import { goTo, type PageAnswer } from "../../app/respond.ts";
import { flashMessageCookie, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import {
  FormToken,
  fieldValue,
  NewPassword,
  renderSignInPage,
  type SignInPage,
  type SignInPageRequest,
  withoutPasswords,
} from "./layout.tsx";
import { ProviderButton } from "./single-sign-on.tsx";

/** The path of a one-time link. Text that a mail program appended to the token is ignored. */
const linkPath = (kind: string) => new RegExp(`^/console/${kind}/([\\w-]{43})?.*$`);

export const setup: SignInPage = {
  name: "/console/setup",
  path: linkPath("setup"),
  secret: true,
  async answer(pageRequest) {
    const { token, signInService, signInRequest, request, isLocalOnly } = pageRequest;
    const link = await signInService.findLink(token);
    const owned = await signInService.hasOwner();
    // The demo's link works only on this machine.
    const demo = link?.kind === "demo" && isLocalOnly && isLocalRequest(request);
    const createsOwner = (link?.kind === "setup" || link?.kind === "demo") && !owned;
    if (!demo && !createsOwner) throw setupLinkSpent(owned);

    const draw = async (_: SignInPageRequest, failed?: { problem: Problem; typed: Typed }) =>
      renderSignInPage(
        request,
        demo
          ? {
              title: "Explore the demo",
              lead: "All data is fictional. You sign in as the owner.",
              children: (
                <>
                  <PlainForm id="demo" failed={undefined}>
                    <FormToken />
                    <input type="hidden" name="as" value="demo" />
                    <button type="submit" class="primary">
                      Open demo
                    </button>
                  </PlainForm>
                  {createsOwner && (
                    <details open={failed !== undefined}>
                      <summary>Create your own account instead</summary>
                      <OwnerForm failed={failed} submit="Create account" />
                    </details>
                  )}
                </>
              ),
            }
          : {
              title: "Create the owner account",
              lead: "The owner sets what agents can do and invites teammates. This link works once.",
              children: <OwnerForm failed={failed} submit="Create account" />,
            },
        failed?.problem,
      );

    return submit(pageRequest, draw, async (form) => {
      if (demo && fieldValue(form, "as") === "demo") {
        const hasDemoOwner = owned || link.personId !== null;
        return hasDemoOwner
          ? signInService.signInToDemo(token, signInRequest)
          : signInService.setUpOwner(token, "demo", signInRequest);
      }
      if (!createsOwner) throw setupLinkSpent(owned);
      const owner = {
        name: fieldValue(form, "name").trim(),
        email: fieldValue(form, "email").trim(),
        password: fieldValue(form, "password"),
      };
      return signInService.setUpOwner(token, owner, signInRequest);
    });
  },
};

function OwnerForm({ failed, submit }: { failed: { problem: Problem; typed: Typed } | undefined; submit: string }) {
  return (
    <PlainForm id="setup" failed={failed}>
      <FormToken />
      <TextField name="name" label="Your name" autoComplete="name" required />
      <TextField name="email" type="email" label="Email address" autoComplete="username" required />
      <NewPassword />
      <button type="submit" class="primary">
        {submit}
      </button>
    </PlainForm>
  );
}

export const invitation: SignInPage = {
  name: "/console/invitation",
  path: linkPath("invitation"),
  secret: true,
  async answer(pageRequest) {
    const { token, signInService, signInRequest, request, session } = pageRequest;
    const link = await signInService.findLink(token);
    if (link?.kind !== "invitation" || link.invited === null) throw LINK_SPENT;
    const { workspaceName, member } = link.invited;
    const isInvitee = session !== undefined && emailKey(session.person.email) === emailKey(member.email);
    const lead = (
      <>
        You're invited as <strong>{member.name}</strong>, {member.email}.
      </>
    );
    const title = `Join ${workspaceName}`;
    // The page must not reveal whether the address has an account.
    const draw = async (_: SignInPageRequest, failed?: { problem: Problem; typed: Typed }) =>
      renderSignInPage(
        request,
        {
          title,
          lead,
          children: (
            <>
              <PlainForm id="invitation" failed={failed}>
                <FormToken />
                {!isInvitee && <input type="hidden" name="username" autoComplete="username" value={member.email} />}
                {!isInvitee && <NewPassword label="Password" />}
                <button type="submit" class="primary">
                  Join {workspaceName}
                </button>
              </PlainForm>
              {!isInvitee && <ProviderButton provider={signInService.singleSignOn} />}
              {!isInvitee && (
                <p class="quiet">
                  Already have an account? <a href="/console/sign-in">Sign in</a>, then open this link again.
                </p>
              )}
            </>
          ),
        },
        failed?.problem,
      );
    return submit(pageRequest, draw, async (form) =>
      isInvitee && session !== undefined
        ? signInService.acceptInvitation(token, { session }, signInRequest)
        : signInService.acceptInvitation(token, { password: fieldValue(form, "password") }, signInRequest),
    );
  },
};

export const reset: SignInPage = {
  name: "/console/reset",
  path: linkPath("reset"),
  secret: true,
  async answer(pageRequest) {
    const { token, signInService, signInRequest, request } = pageRequest;
    if ((await signInService.findLink(token))?.kind !== "reset") throw RESET_LINK_SPENT;
    const draw = async (_: SignInPageRequest, failed?: { problem: Problem; typed: Typed }) =>
      renderSignInPage(
        request,
        {
          title: "Choose a new password",
          lead: "You'll be signed out on all other devices.",
          children: (
            <PlainForm id="reset" failed={failed}>
              <FormToken />
              <NewPassword label="New password" />
              <button type="submit" class="primary">
                Set password and sign in
              </button>
            </PlainForm>
          ),
        },
        failed?.problem,
      );
    return submit(pageRequest, draw, async (form) =>
      signInService.resetPassword(token, fieldValue(form, "password"), signInRequest),
    );
  },
};

const LINK_SPENT = problem(
  "link_spent",
  "This link was already used or has expired. Ask the person who sent it for a new one.",
);

const RESET_LINK_SPENT = problem(
  "link_spent",
  "This link was already used or has expired. Request a new one with “Forgot your password?” on the sign-in page, or ask your server admin.",
);

const setupLinkSpent = (owned: boolean) =>
  problem(
    "link_spent",
    owned
      ? "This link was already used or has expired. This server already has an owner. If that's you, sign in. If this is a demo, restart it to get a new link."
      : "This link was already used or has expired. Restart the server to print a new one.",
  );

/** Submits a link's form and signs in. After an error, it renders the form again without the password. */
async function submit(
  pageRequest: SignInPageRequest,
  draw: (pageRequest: SignInPageRequest, failed?: { problem: Problem; typed: Typed }) => Promise<PageAnswer>,
  act: (form: Typed) => Promise<{ token: string } | undefined>,
): Promise<PageAnswer> {
  const { form, cookieScope } = pageRequest;
  if (form === undefined) return draw(pageRequest);
  try {
    const started = await act(form);
    const cookies = started === undefined ? [] : [sessionCookie(cookieScope, started.token)];
    return goTo("/console", ...cookies, flashMessageCookie(cookieScope, { operation: "enter" }));
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "link_spent") throw error;
    return draw(pageRequest, { problem: error, typed: withoutPasswords(form) });
  }
}
