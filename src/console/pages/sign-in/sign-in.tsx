/** @jsxRuntime automatic @jsxImportSource preact */

import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { ClientFinder } from "../../../core/context.ts";
import { Problem } from "../../../core/problem.ts";
import { AUTHORIZE_PATH, isRegistered } from "../../../domain/access/oauth.ts";
import { goTo, type PageAnswer, pathWithin } from "../../app/respond.ts";
import { endedSession, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { fieldValue, renderSignInPage, type SignInPage, type SignInPageRequest, withoutPasswords } from "./layout.tsx";
import { ProviderButton } from "./single-sign-on.tsx";

export const signIn: SignInPage = {
  name: "/console/sign-in",
  path: /^\/console\/sign-in$/,
  async answer(pageRequest) {
    const { request, form, signInService, signInRequest, cookieScope, session } = pageRequest;
    const given = new URL(request.originalUrl, "http://here").searchParams.get("next") ?? undefined;
    const next = pathWithin(form === undefined ? given : fieldValue(form, "next"));
    if (form === undefined) return session === undefined ? draw(pageRequest, next) : goTo(next);
    try {
      const { token } = await signInService.signIn(
        fieldValue(form, "email"),
        fieldValue(form, "password"),
        signInRequest,
      );
      const cookies = [sessionCookie(cookieScope, token)];
      return asksForClient(next) ? continueTo(request, next, cookies) : goTo(next, ...cookies);
    } catch (error) {
      if (error instanceof Problem) return draw(pageRequest, next, error);
      throw error;
    }
  },
};

export const signOut: SignInPage = {
  name: "/console/sign-out",
  path: /^\/console\/sign-out$/,
  async answer({ form, session, signInService, signInRequest, cookieScope }) {
    if (form === undefined) return goTo("/console");
    if (session !== undefined) await signInService.signOut(session, signInRequest);
    return goTo("/console/sign-in", endedSession(cookieScope));
  },
};

async function draw(
  { request, form, signInService, clients }: SignInPageRequest,
  next: string,
  problem?: Problem,
): Promise<PageAnswer> {
  const owned = await signInService.hasOwner();
  const lead = owned
    ? await askingClient(clients, next)
    : "No owner yet. Open the setup link from the terminal, or restart the server to get a new link.";
  return renderSignInPage(
    request,
    {
      title: "Sign in",
      lead,
      children: (
        <>
          <PlainForm id="sign-in" failed={problem && { problem, typed: withoutPasswords(form) }}>
            <input type="hidden" name="next" value={next} />
            <TextField name="email" type="email" label="Email address" autoComplete="username" required />
            <TextField name="password" type="password" label="Password" autoComplete="current-password" required />
            <button type="submit" class="primary">
              Sign in
            </button>
          </PlainForm>
          <ProviderButton provider={signInService.singleSignOn} next={next} />
          <p class="quiet">
            <a href="/console/forgotten">Forgot your password?</a>
          </p>
        </>
      ),
    },
    problem,
  );
}

/** Whether the member signs in for a client's authorization request. */
const asksForClient = (next: string): boolean => next.startsWith(`${AUTHORIZE_PATH}?`);

/**
 * The client that requested the sign-in, with the name that it gave itself. Nothing is fetched before someone has
 * signed in.
 */
async function askingClient(clients: ClientFinder, next: string): Promise<ComponentChildren | undefined> {
  if (!asksForClient(next)) return undefined;
  const id = new URL(next, "http://here").searchParams.get("client_id") ?? "";
  const who = isRegistered(id) ? await nameOf(clients, id) : hostOf(id);
  return (
    <>
      An MCP client
      {who !== undefined && (
        <>
          {" "}
          named “<bdi>{who}</bdi>”
        </>
      )}{" "}
      wants to act for you. Sign in to review its request. Signing in doesn't give it access.
    </>
  );
}

async function nameOf(clients: ClientFinder, id: string): Promise<string | undefined> {
  try {
    return (await clients.find(id, "")).name;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const hostOf = (id: string): string | undefined => (URL.canParse(id) ? new URL(id).host : undefined);

/**
 * Continues to a client's authorization request, which may redirect to the client. The form-action policy of this page
 * would block that redirect, so the page uses a Refresh header.
 */
function continueTo(request: Request, next: string, cookies: string[]): PageAnswer {
  const children = <a href={next}>Continue to the request</a>;
  return { ...renderSignInPage(request, { title: "You're signed in", children }), refreshTo: next, cookies };
}
