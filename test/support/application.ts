import assert from "node:assert/strict";
import { Browser } from "./http-browser.ts";
import { answerOf, NEW_ACCOUNT, REDIRECT } from "./oauth.ts";

/** What an application gives the official clients: storage for their data, and a way to show the person a URL. */
export class Application {
  readonly redirectUrl: string;
  /** URL of its client document; without one it registers. */
  readonly clientMetadataUrl: string | undefined;
  address: URL | undefined;
  #information: any;
  #tokens: any;
  #verifier = "";
  #discovery: any;
  constructor(clientMetadataUrl?: string, redirectUrl = REDIRECT) {
    this.clientMetadataUrl = clientMetadataUrl;
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    const grant_types = ["authorization_code", "refresh_token"];
    return { client_name: "Official Client", redirect_uris: [this.redirectUrl], grant_types };
  }

  state = () => "application's state";
  clientInformation = () => this.#information;
  saveClientInformation(information: unknown) {
    this.#information = information;
  }
  tokens = () => this.#tokens;
  saveTokens(tokens: unknown) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(address: URL) {
    this.address = address;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(state: unknown) {
    this.#discovery = state;
  }
  discoveryState = () => this.#discovery;
  invalidateCredentials(what: string) {
    if (what === "all" || what === "tokens") this.#tokens = undefined;
  }
}

/** The person's part: the client's URL, opened and approved in a signed-in browser. */
export async function approve(browser: Browser, address: URL): Promise<URLSearchParams> {
  const path = address.pathname + address.search;
  const consent = Browser.hidden(await browser.get(path), "consent");
  const page = await browser.post(path, { consent, decision: "approve", ...NEW_ACCOUNT });
  assert.equal(page.status, 303, page.text);
  return answerOf(page);
}
