import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { z } from "zod";
import { problem } from "../core/problem.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import type { Identity } from "../store/people.ts";

export interface SingleSignOnSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the button calls it. */
  name: string;
}

/** What the browser keeps, sealed, while its person is at the provider. */
const Kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: z.string(), at: z.number() });
/** What a provider has to say of somebody. Anything but `true` is no verified address. */
const Claims = z.object({ email: z.email().max(320), email_verified: z.literal(true) });

export const CALLBACK_PATH = "/console/single-sign-on/callback";
const PURPOSE = "single-sign-on";
/** How long somebody may take at the provider. */
export const AT_PROVIDER_MS = 10 * MINUTE_MS;
/** Discovered anew so often; after a failure, not at once. */
const KNOWN_MS = HOUR_MS;
const FAILED_MS = 5_000;
const TIMEOUT_SECONDS = 10;

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

/** Sign-in at a provider of OpenID Connect: authorization code with PKCE, state and nonce; ID tokens by their signature. */
export function createSingleSignOn(
  { issuer, clientId, clientSecret, name }: SingleSignOnSettings,
  { vault, clock, log, url }: { vault: Vault; clock: Clock; log: Log; url: () => string },
) {
  let known: { at: number; found: Promise<Configuration> } | undefined;

  /** As the provider wants it; where it does not say, as the standard does. */
  const authenticate: ClientAuth = (...request) => {
    const { token_endpoint_auth_methods_supported: methods = [] } = request[0];
    const posts = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    return (posts ? ClientSecretPost : ClientSecretBasic)(clientSecret)(...request);
  };

  function provider(): Promise<Configuration> {
    if (known !== undefined && clock.now() - known.at < KNOWN_MS) return known.found;
    const loopback = new URL(issuer).protocol === "http:";
    const execute = [enableNonRepudiationChecks, ...(loopback ? [allowInsecureRequests] : [])];
    const found = discovery(new URL(issuer), clientId, undefined, authenticate, { execute, timeout: TIMEOUT_SECONDS });
    known = { at: clock.now(), found };
    found.catch(() => {
      known = { at: clock.now() - KNOWN_MS + FAILED_MS, found };
    });
    return found;
  }

  const redirectUri = () => `${url()}${CALLBACK_PATH}`;

  /** Codes of faults alone: what a provider answers may hold more than a log should. */
  function failed(step: string, error: unknown) {
    const { name: kind, code, error: told } = error as { name?: string; code?: string; error?: string };
    log.warn({ step, kind, code, told: typeof told === "string" ? told.slice(0, 100) : undefined }, "single sign-on");
  }

  return {
    name,

    /**
     * Where to send the browser, and what it is to bring back.
     *
     * @throws Problem provider_failed
     */
    async begin(next: string): Promise<{ location: string; kept: string }> {
      const kept = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), next };
      let location: URL;
      try {
        location = buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUri(),
          scope: "openid email profile",
          response_type: "code",
          state: kept.state,
          nonce: kept.nonce,
          code_challenge: await calculatePKCECodeChallenge(kept.verifier),
          code_challenge_method: "S256",
        });
      } catch (error) {
        failed("discovery", error);
        throw problem("provider_failed", `${name} cannot be reached at the moment. Try again shortly.`);
      }
      const sealed = vault.seal(JSON.stringify({ ...kept, at: clock.now() } satisfies z.infer<typeof Kept>), PURPOSE);
      return { location: location.href, kept: sealed };
    },

    /** What the browser kept; undefined where it is not ours, or too old. */
    open(sealed: string | undefined): z.infer<typeof Kept> | undefined {
      if (sealed === undefined) return undefined;
      try {
        const kept = Kept.parse(JSON.parse(vault.open(sealed, PURPOSE)));
        return clock.now() - kept.at < AT_PROVIDER_MS ? kept : undefined;
      } catch {
        return undefined;
      }
    },

    /**
     * Whom the provider means by what it sent the browser back with.
     *
     * @throws Problem wrong_credentials, provider_failed
     */
    async finish(search: string, { state, nonce, verifier }: z.infer<typeof Kept>): Promise<Identity> {
      let subject: string;
      let claims: unknown;
      try {
        const config = await provider();
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const tokens = await authorizationCodeGrant(config, new URL(redirectUri() + search), checks);
        const told = tokens.claims();
        if (told === undefined) throw new Error("There is no ID token.");
        subject = told.sub;
        const elsewhere = told.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
        claims = elsewhere ? await fetchUserInfo(config, tokens.access_token, subject) : told;
      } catch (error) {
        failed("callback", error);
        const { error: told } = error as { error?: string };
        if (told === "access_denied") throw problem("wrong_credentials", `${name} did not let you in.`);
        throw problem("provider_failed", `What ${name} answered does not hold. Start again.`);
      }
      const read = Claims.safeParse(claims);
      if (!read.success) {
        throw problem(
          "wrong_credentials",
          `${name} does not say that your e-mail address is verified. Verify it there, then sign in again.`,
        );
      }
      return { issuer, subject, email: read.data.email };
    },
  };
}
