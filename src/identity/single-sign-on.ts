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
  /** The provider's name, for the button. */
  name: string;
}

/** The state of a sign-in that is in progress at the provider. The browser keeps it, sealed. */
const PendingSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The page to open after sign-in. */
  next: z.string(),
  /** When it began, in milliseconds since the epoch. */
  at: z.number(),
});
type PendingSignIn = z.infer<typeof PendingSignIn>;

/** The claims a provider must make. Anything but `true` is no verified address. */
const Claims = z.object({ email: z.email().max(320), email_verified: z.literal(true) });

export const CALLBACK_PATH = "/console/single-sign-on/callback";
const PURPOSE = "single-sign-on";
/** How long a person may take to sign in at the provider. */
export const PROVIDER_SIGN_IN_MS = 10 * MINUTE_MS;
/** How long the provider's metadata is reused, and how long to wait after its discovery failed. */
const DISCOVERY_MS = HOUR_MS;
const DISCOVERY_RETRY_MS = 5_000;
const TIMEOUT_SECONDS = 10;

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

/** Sign-in at an OpenID Connect provider by authorization code, with PKCE, state, nonce and verified ID tokens. */
export function createSingleSignOn(
  { issuer, clientId, clientSecret, name }: SingleSignOnSettings,
  { vault, clock, log, url }: { vault: Vault; clock: Clock; log: Log; url: () => string },
) {
  let discovered: { at: number; configuration: Promise<Configuration> } | undefined;

  /** By the method that the provider supports; the standard's default if it names none. */
  const authenticate: ClientAuth = (...request) => {
    const { token_endpoint_auth_methods_supported: methods = [] } = request[0];
    const posts = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    return (posts ? ClientSecretPost : ClientSecretBasic)(clientSecret)(...request);
  };

  function provider(): Promise<Configuration> {
    if (discovered !== undefined && clock.now() - discovered.at < DISCOVERY_MS) return discovered.configuration;
    const loopback = new URL(issuer).protocol === "http:";
    const execute = [enableNonRepudiationChecks, ...(loopback ? [allowInsecureRequests] : [])];
    const options = { execute, timeout: TIMEOUT_SECONDS };
    const configuration = discovery(new URL(issuer), clientId, undefined, authenticate, options);
    discovered = { at: clock.now(), configuration };
    configuration.catch(() => {
      discovered = { at: clock.now() - DISCOVERY_MS + DISCOVERY_RETRY_MS, configuration };
    });
    return configuration;
  }

  const redirectUri = () => `${url()}${CALLBACK_PATH}`;

  /** Logs only error codes, because a provider's answer may contain secrets. */
  function logFailure(step: string, error: unknown) {
    const { name: kind, code, error: told } = error as { name?: string; code?: string; error?: string };
    log.warn({ step, kind, code, told: typeof told === "string" ? told.slice(0, 100) : undefined }, "single sign-on");
  }

  return {
    name,

    /**
     * Begins a sign-in: where to redirect the browser, and the sealed state that it must bring back.
     *
     * @throws Problem provider_failed
     */
    async begin(next: string): Promise<{ location: string; sealedState: string }> {
      const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), next };
      let location: URL;
      try {
        location = buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUri(),
          scope: "openid email profile",
          response_type: "code",
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: "S256",
        });
      } catch (error) {
        logFailure("discovery", error);
        throw problem("provider_failed", `Signing in with ${name} isn't possible right now. Try again in a minute.`);
      }
      const begun: PendingSignIn = { ...pending, at: clock.now() };
      return { location: location.href, sealedState: vault.seal(JSON.stringify(begun), PURPOSE) };
    },

    /** The state that the browser brought back; undefined if this server did not seal it, or if it is too old. */
    open(sealedState: string | undefined): PendingSignIn | undefined {
      if (sealedState === undefined) return undefined;
      try {
        const pending = PendingSignIn.parse(JSON.parse(vault.open(sealedState, PURPOSE)));
        return clock.now() - pending.at < PROVIDER_SIGN_IN_MS ? pending : undefined;
      } catch {
        return undefined;
      }
    },

    /**
     * Completes a sign-in: exchanges the code of the callback's query for the person's identity.
     *
     * @throws Problem wrong_credentials, provider_failed
     */
    async finish(search: string, { state, nonce, verifier }: PendingSignIn): Promise<Identity> {
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
        const idClaims = tokens.claims();
        if (idClaims === undefined) throw new Error("The provider sent no ID token.");
        subject = idClaims.sub;
        const asksUserInfo = idClaims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
        claims = asksUserInfo ? await fetchUserInfo(config, tokens.access_token, subject) : idClaims;
      } catch (error) {
        logFailure("callback", error);
        const { error: code } = error as { error?: string };
        if (code === "access_denied")
          throw problem("wrong_credentials", `Signing in with ${name} failed. Try again, or ask your server admin.`);
        throw problem("provider_failed", `The response from ${name} is not valid. Sign in again.`);
      }
      const read = Claims.safeParse(claims);
      if (!read.success) {
        throw problem("wrong_credentials", `${name} has not verified your email. Verify it there, then sign in again.`);
      }
      return { issuer, subject, email: read.data.email };
    },
  };
}
