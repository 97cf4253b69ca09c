/** @jsxRuntime automatic @jsxImportSource preact */
import type { Request } from "express";
import { Problem } from "../../problem.ts";
import { pathWithin } from "../address.ts";
import { endedSession, sessionCookie } from "../cookies.ts";
import { TextField } from "../parts/fields.tsx";
import { PlainForm } from "../parts/form.tsx";
import { goTo, type PageAnswer } from "../respond.ts";
import { askingClient, asksForClient } from "./asking-client.tsx";
import { type Ask, type Door, entrancePage, shownAgain, typedIn } from "./door.tsx";
import { ProviderButton } from "./single-sign-on.tsx";

export const signIn: Door = {
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

export const signOut: Door = {
  name: "/console/sign-out",
  path: /^\/console\/sign-out$/,
  async answer({ form, visitor, entrance, arrival, place }) {
    if (form === undefined) return goTo("/console");
    if (visitor !== undefined) await entrance.signOut(visitor, arrival);
    return goTo("/console/sign-in", endedSession(place));
  },
};
