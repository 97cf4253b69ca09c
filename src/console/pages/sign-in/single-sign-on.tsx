/** @jsxRuntime automatic @jsxImportSource preact */

import { Problem, problem } from "../../../core/problem.ts";
import { CALLBACK_PATH, type SingleSignOn } from "../../../identity/single-sign-on.ts";
import { goTo, pathWithin } from "../../app/respond.ts";
import { providerStateCookie, providerStateOf, sessionCookie } from "../../app/session.ts";
import { renderSignInPage, type SignInPage, type SignInPageRequest } from "./layout.tsx";

const BEGIN = "/console/single-sign-on";

export const beginAtProvider: SignInPage = {
  name: BEGIN,
  path: /^\/console\/single-sign-on$/,
  async answer(pageRequest) {
    const { request, signInService, cookieScope } = pageRequest;
    const provider = signInService.singleSignOn;
    if (provider === undefined) throw NOT_CONFIGURED;
    const next = new URL(request.originalUrl, "http://here").searchParams.get("next") ?? undefined;
    try {
      const { location, sealedState } = await provider.begin(pathWithin(next));
      return goTo(location, providerStateCookie(cookieScope, sealedState));
    } catch (error) {
      if (error instanceof Problem) return refused(pageRequest, provider, error);
      throw error;
    }
  },
};

export const backFromProvider: SignInPage = {
  name: CALLBACK_PATH,
  path: new RegExp(`^${CALLBACK_PATH}$`),
  secret: true,
  async answer(pageRequest) {
    const { request, signInService, cookieScope, signInRequest } = pageRequest;
    const provider = signInService.singleSignOn;
    if (provider === undefined) throw NOT_CONFIGURED;
    const { search } = new URL(request.originalUrl, "http://here");
    try {
      const { token, next } = await signInService.signInWithProvider(
        provider,
        search,
        providerStateOf(request, cookieScope),
        signInRequest,
      );
      return goTo(next, sessionCookie(cookieScope, token), providerStateCookie(cookieScope, undefined));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ...refused(pageRequest, provider, error), cookies: [providerStateCookie(cookieScope, undefined)] };
    }
  },
};

/** A link, because the form-action policy does not allow other sites. */
export function ProviderButton({ provider, next = "/console" }: { provider: SingleSignOn | undefined; next?: string }) {
  if (provider === undefined) return null;
  return (
    <a class="button wide" href={next === "/console" ? BEGIN : `${BEGIN}?next=${encodeURIComponent(next)}`}>
      Sign in with {provider.name}
    </a>
  );
}

const NOT_CONFIGURED = problem(
  "route_not_found",
  "Single sign-on isn't set up on this server. Sign in with a password.",
);

function refused({ request }: SignInPageRequest, provider: SingleSignOn, refusal: Problem) {
  const children = (
    <>
      <ProviderButton provider={provider} />
      <a href="/console/sign-in">Sign in another way</a>
    </>
  );
  return renderSignInPage(request, { title: "You're not signed in", lead: refusal.message, children }, refusal);
}
