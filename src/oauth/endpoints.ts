import type { Express, Request, RequestHandler } from "express";
import { CONNECTOR_SCOPES, VERIFIER } from "../domain/connector.ts";
import { parseJson, readBytes } from "../http/json-body.ts";
import { replyProblem } from "../http/reply.ts";
import { requestId } from "../http/request-id.ts";
import type { ConnectLimits } from "../limits.ts";
import type { Log } from "../log.ts";
import { problem } from "../problem.ts";
import type { Store } from "../store/store.ts";
import { type Answered, endpoint, OAuthRefusal } from "./answer.ts";
import { readClientMetadata } from "./client-metadata.ts";
import type { ClientDirectory } from "./clients.ts";
import type { Grants } from "./grants.ts";
import { ENDPOINTS, mountMetadata } from "./metadata.ts";
import { MAX_OAUTH_BYTES, readParameters } from "./parameters.ts";

export interface OAuthParts {
  clients: ClientDirectory;
  grants: Grants;
  limits: ConnectLimits;
  store: Pick<Store, "isUnavailable">;
  log: Log;
  /** The issuer: the address that people and agents reach this server by, without a trailing slash. */
  url: () => string;
}

/** What a client asks by itself: how to sign in, to be known, for its key, and to end it. Consent is a console's page. */
export function mountOAuth(app: Express, parts: OAuthParts): void {
  mountMetadata(app, parts.url);
  const serve = (path: string, answer: (request: Request) => Promise<Answered>) =>
    app.route(path).post(endpoint(parts, answer)).all(postOnly);
  serve(ENDPOINTS.register, (request) => register(parts, request));
  serve(ENDPOINTS.token, (request) => token(parts, request));
  serve(ENDPOINTS.revoke, (request) => revoke(parts, request));
}

/** Dynamic registration (RFC 7591). No client has a secret, whatever it asks for. */
async function register({ clients, limits }: OAuthParts, request: Request): Promise<Answered> {
  await limits.register(request.ip);
  if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new OAuthRefusal("invalid_client_metadata", "Send application/json.");
  }
  const read = readClientMetadata(parseJson(await readBytes(request, MAX_OAUTH_BYTES)));
  if ("refusal" in read) throw new OAuthRefusal(read.refusal.error, read.refusal.description);
  const client = await clients.register(read.client);
  if (client === undefined) {
    throw new OAuthRefusal("temporarily_unavailable", "Too many registrations wait to be used; try later.", 503);
  }
  const body = {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.createdAt / 1_000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: CONNECTOR_SCOPES.join(" "),
  };
  return { status: 201, body };
}

/** A code becomes a key: one that lasts until it is revoked, so that there is nothing to refresh. */
async function token({ grants, limits }: OAuthParts, request: Request): Promise<Answered> {
  await limits.ask(request.ip);
  const { one } = await readParameters(request);
  if (one("grant_type") !== "authorization_code") {
    throw new OAuthRefusal("unsupported_grant_type", "grant_type must be authorization_code.");
  }
  const verifier = one("code_verifier");
  const key = await grants.redeem({
    ...{ code: one("code"), verifier: VERIFIER.test(verifier) ? verifier : "" },
    ...{ clientId: one("client_id"), redirectUri: one("redirect_uri"), resource: one("resource") },
  });
  if (key === undefined) {
    throw new OAuthRefusal("invalid_grant", "The code does not hold: it is used, too old, or not for this request.");
  }
  return { status: 200, body: { access_token: key, token_type: "Bearer", scope: CONNECTOR_SCOPES.join(" ") } };
}

/** RFC 7009: what is no token of anybody's is as good as revoked; another client's is not this one's to end. */
async function revoke({ grants, limits }: OAuthParts, request: Request): Promise<Answered> {
  await limits.ask(request.ip);
  const { one } = await readParameters(request);
  if ((await grants.revoke(one("token"), one("client_id"))) === "of_another") {
    throw new OAuthRefusal("unauthorized_client", "The token was not issued to this client.");
  }
  return { status: 200 };
}

const postOnly: RequestHandler = (request, response) => {
  response.setHeader("allow", "POST");
  replyProblem(response, problem("method_not_allowed", "Use POST here."), requestId(request));
};
