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
    : "Nobody owns this server yet. Open the setup link that it printed when it started; starting it again prints a new one.";
  return renderSignInPage(
    request,
    {
      title: "Sign in",
      lead,
      children: (
        <>
          <PlainForm id="sign-in" failed={problem && { problem, typed: withoutPasswords(form) }}>
            <input type="hidden" name="next" value={next} />
            <TextField name="email" type="email" label="E-mail address" autoComplete="username" required />
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

/** Whether the sign-in is for a client's authorization request. */
const asksForClient = (next: string): boolean => next.startsWith(`${AUTHORIZE_PATH}?`);

/**
 * The name of the client that asks for the sign-in, as the client gives it. No one is signed in yet, so nothing is
 * fetched.
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
          that calls itself “<bdi>{who}</bdi>”
        </>
      )}{" "}
      asks to act for you. Sign in to see what it asks for: signing in lets nothing in yet.
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
 * Continues to a client's authorization request, which may redirect to the client. The policy of this page's form would
 * block a redirect there, so the page navigates by itself.
 */
function continueTo(request: Request, next: string, cookies: string[]): PageAnswer {
  const children = <a href={next}>Go on to what the client asks</a>;
  return { ...renderSignInPage(request, { title: "You are signed in", children }), onward: next, cookies };
}
