import type { Request } from "express";
import type { ComponentChildren } from "preact";
import { Problem } from "../../../core/problem.ts";
import { AUTHORIZE_PATH, isRegistered } from "../../../domain/access/oauth.ts";
import type { ClientDirectory } from "../../../identity/oauth/clients.ts";
import { goTo, type PageAnswer, pathWithin } from "../../app/respond.ts";
import { endedSession, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { type Ask, entrancePage, type SignInLayout, shownAgain, typedIn } from "./layout.tsx";
import { ProviderButton } from "./single-sign-on.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

/** Whether a sign-in leads on to a client's request. */
const asksForClient = (next: string): boolean => next.startsWith(`${AUTHORIZE_PATH}?`);

/** Which client has somebody sign in, as far as a stranger may be told: what it says of itself. Nothing is fetched. */
async function askingClient(
  clients: Pick<ClientDirectory, "find">,
  next: string,
): Promise<ComponentChildren | undefined> {
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

async function nameOf(clients: Pick<ClientDirectory, "find">, id: string): Promise<string | undefined> {
  try {
    return (await clients.find(id, "")).name;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const hostOf = (id: string): string | undefined => (URL.canParse(id) ? new URL(id).host : undefined);

/** @jsxRuntime automatic @jsxImportSource preact */

export const signIn: SignInLayout = {
  name: "/console/sign-in",
  path: /^\/console\/sign-in$/,
  async answer(ask) {
    const { request, form, entrance, arrival, place, visitor } = ask;
    const asked = new URL(request.originalUrl, "http://here").searchParams.get("next") ?? undefined;
    const next = pathWithin(form === undefined ? asked : typedIn(form, "next"));
    if (form === undefined) return visitor === undefined ? draw(ask, next) : goTo(next);
    try {
      const { token } = await entrance.signIn(typedIn(form, "email"), typedIn(form, "password"), arrival);
      const cookies = [sessionCookie(place, token)];
      return asksForClient(next) ? goOn(request, next, cookies) : goTo(next, ...cookies);
    } catch (error) {
      if (error instanceof Problem) return draw(ask, next, error);
      throw error;
    }
  },
};

/** To a client's request, which may send the browser on to the client: a redirect of this form could not lead there. */
function goOn(request: Request, next: string, cookies: string[]): PageAnswer {
  const children = <a href={next}>Go on to what the client asks</a>;
  return { ...entrancePage(request, { title: "You are signed in", children }), onward: next, cookies };
}

async function draw({ request, form, entrance, clients }: Ask, next: string, problem?: Problem): Promise<PageAnswer> {
  const owned = await entrance.hasOwner();
  const lead = owned
    ? await askingClient(clients, next)
    : "Nobody owns this server yet. Open the setup link that it printed when it started; starting it again prints a new one.";
  return entrancePage(
    request,
    {
      title: "Sign in",
      lead,
      children: (
        <>
          <PlainForm id="sign-in" failed={problem && { problem, typed: shownAgain(form) }}>
            <input type="hidden" name="next" value={next} />
            <TextField name="email" type="email" label="E-mail address" autoComplete="username" required />
            <TextField name="password" type="password" label="Password" autoComplete="current-password" required />
            <button type="submit" class="primary">
              Sign in
            </button>
          </PlainForm>
          <ProviderButton provider={entrance.singleSignOn} next={next} />
          <p class="quiet">
            <a href="/console/forgotten">Forgot your password?</a>
          </p>
        </>
      ),
    },
    problem,
  );
}

export const signOut: SignInLayout = {
  name: "/console/sign-out",
  path: /^\/console\/sign-out$/,
  async answer({ form, visitor, entrance, arrival, place }) {
    if (form === undefined) return goTo("/console");
    if (visitor !== undefined) await entrance.signOut(visitor, arrival);
    return goTo("/console/sign-in", endedSession(place));
  },
};
