import { Problem, problem } from "../../../core/problem.ts";
import { CALLBACK_PATH, type SingleSignOn } from "../../../identity/single-sign-on.ts";
import { goTo, pathWithin } from "../../app/respond.ts";
import { keptCookie, keptOf, sessionCookie } from "../../app/session.ts";
import { type Ask, entrancePage, type SignInLayout } from "./layout.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

const BEGIN = "/console/single-sign-on";

/** A link, since it leads to another site: a form may not be sent there. */
export function ProviderButton({ provider, next = "/console" }: { provider: SingleSignOn | undefined; next?: string }) {
  if (provider === undefined) return null;
  return (
    <a class="button wide" href={next === "/console" ? BEGIN : `${BEGIN}?next=${encodeURIComponent(next)}`}>
      Sign in with {provider.name}
    </a>
  );
}

const NONE = problem("route_not_found", "Single sign-on is not set up on this server.");

function refused({ request }: Ask, provider: SingleSignOn, refusal: Problem) {
  const children = (
    <>
      <ProviderButton provider={provider} />
      <a href="/console/sign-in">Sign in another way</a>
    </>
  );
  return entrancePage(request, { title: "You are not signed in", lead: refusal.message, children }, refusal);
}

export const beginAtProvider: SignInLayout = {
  name: BEGIN,
  path: /^\/console\/single-sign-on$/,
  async answer(ask) {
    const { request, entrance, place } = ask;
    const provider = entrance.singleSignOn;
    if (provider === undefined) throw NONE;
    const next = new URL(request.originalUrl, "http://here").searchParams.get("next") ?? undefined;
    try {
      const { location, kept } = await provider.begin(pathWithin(next));
      return goTo(location, keptCookie(place, kept));
    } catch (error) {
      if (error instanceof Problem) return refused(ask, provider, error);
      throw error;
    }
  },
};

export const backFromProvider: SignInLayout = {
  name: CALLBACK_PATH,
  path: new RegExp(`^${CALLBACK_PATH}$`),
  secret: true,
  async answer(ask) {
    const { request, entrance, place, arrival } = ask;
    const provider = entrance.singleSignOn;
    if (provider === undefined) throw NONE;
    const { search } = new URL(request.originalUrl, "http://here");
    try {
      const { token, next } = await entrance.signInBy(provider, search, keptOf(request, place), arrival);
      return goTo(next, sessionCookie(place, token), keptCookie(place, undefined));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ...refused(ask, provider, error), cookies: [keptCookie(place, undefined)] };
    }
  },
};
