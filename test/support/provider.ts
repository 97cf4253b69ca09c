import type { TestContext } from "node:test";
import { OAuth2Server } from "oauth2-mock-server";
import type { Browser, Page } from "./http-browser.ts";
import { type ServerOptions, startServer, type TestServer } from "./server.ts";

/** The provider's claims about anyone who signs in; an undefined member is omitted. */
type Claims = Record<string, unknown>;

export interface Provider {
  issuer: string;
  /** Claims of the next ID token. */
  claims: Claims;
  /** Claims of userinfo. */
  told: Claims;
  /** The requests to the token endpoint. */
  asked: { body: Record<string, string>; authorization: string | undefined }[];
  /** Parameters added to the browser's return URL. */
  redirect: (url: URL) => void;
  /** Signs with a key that the provider does not publish. */
  forges: boolean;
}

interface Asked {
  body: Record<string, string>;
  headers: { authorization?: string };
}

export const CLIENT = { id: "rostrum", secret: "theSecretOfThisClient" };

/** A real provider on loopback, which signs what a test configures. */
export async function startProvider(t: Pick<TestContext, "after">): Promise<Provider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  t.after(() => server.stop());
  const port = server.address().port;
  const issuer = `http://127.0.0.1:${port}`;
  server.issuer.url = issuer;
  const provider: Provider = { issuer, claims: {}, told: {}, asked: [], redirect: () => {}, forges: false };
  server.service.on("beforeTokenSigning", (token: { header: Claims; payload: Claims }) => {
    Object.assign(token.payload, provider.claims);
    for (const [name, value] of Object.entries(provider.claims)) if (value === undefined) delete token.payload[name];
  });
  server.service.on("beforeResponse", (response: { body: Record<string, unknown> }, request: Asked) => {
    provider.asked.push({ body: request.body, authorization: request.headers.authorization });
    if (!provider.forges) return;
    const [head, body, signature] = String(response.body.id_token).split(".") as [string, string, string];
    const other = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    response.body.id_token = [head, body, other].join(".");
  });
  server.service.on("beforeUserinfo", (response: { body: Claims }) => {
    response.body = { ...response.body, ...provider.told };
  });
  server.service.on("beforeAuthorizeRedirect", ({ url }: { url: URL }) => provider.redirect(url));
  return provider;
}

/** A server whose members sign in with the provider. */
export function startWith(t: TestContext, { issuer }: Provider, options: ServerOptions = {}): Promise<TestServer> {
  const env = {
    ROSTRUM_OIDC_ISSUER: issuer,
    ROSTRUM_OIDC_CLIENT_ID: CLIENT.id,
    ROSTRUM_OIDC_CLIENT_SECRET: CLIENT.secret,
    ROSTRUM_OIDC_NAME: "Acme",
  };
  return startServer(t, { ...options, env: { ...env, ...options.env } });
}

/** Visits the provider and returns the URL to which it sends the browser. */
export async function wayBack(browser: Browser, from = "/console/single-sign-on"): Promise<string> {
  const away = await browser.get(from);
  const there = await fetch(away.location ?? "", { redirect: "manual" });
  const back = new URL(there.headers.get("location") ?? "");
  return back.pathname + back.search;
}

export async function signInThere(browser: Browser, from?: string): Promise<Page> {
  return browser.get(await wayBack(browser, from));
}
