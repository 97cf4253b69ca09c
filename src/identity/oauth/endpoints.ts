import type { Express, Request, RequestHandler, Response } from "express";
import { Problem, type ProblemCode, problem } from "../../core/problem.ts";
import { CONNECTOR_SCOPES, VERIFIER } from "../../domain/access/oauth.ts";
import { parseJson, readBytes } from "../../http/body.ts";
import { replyProblem, requestId } from "../../http/reply.ts";
import type { Log } from "../../lib/log.ts";
import type { Store } from "../../store/store.ts";
import type { ConnectLimits } from "../rate-limits.ts";
import { type ClientDirectory, readClientMetadata } from "./clients.ts";
import type { Grants } from "./grants.ts";
import { ENDPOINTS, mountMetadata } from "./metadata.ts";

/** A refusal in the form of OAuth (RFC 6749, 5.2; RFC 7591, 3.2.2). */
class OAuthRefusal extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

interface Answered {
  status: number;
  body?: Record<string, unknown>;
}

const ERRORS: { [code in ProblemCode]?: string } = { rate_limited: "temporarily_unavailable" };

/** An endpoint that programs POST to: whatever goes wrong is answered as OAuth has it, and never kept by a cache. */
function endpoint(
  { log, store }: { log: Log; store: Pick<Store, "isUnavailable"> },
  answer: (request: Request) => Promise<Answered>,
): RequestHandler {
  return async (request, response) => {
    try {
      const { status, body } = await answer(request);
      send(response, status, body);
    } catch (thrown) {
      const refusal = refusalOf(thrown, store);
      if (refusal.status === 500) log.error({ err: thrown, requestId: requestId(request) }, "an error of a sign-in");
      if (thrown instanceof Problem) {
        if (thrown.retryAfter !== undefined) response.setHeader("retry-after", thrown.retryAfter);
        // What is left of the upload is not worth reading.
        if (thrown.code === "payload_too_large") response.setHeader("connection", "close");
      }
      send(response, refusal.status, { error: refusal.error, error_description: refusal.message });
    }
  };
}

function refusalOf(thrown: unknown, store: Pick<Store, "isUnavailable">): OAuthRefusal {
  if (thrown instanceof OAuthRefusal) return thrown;
  if (thrown instanceof Problem) {
    return new OAuthRefusal(ERRORS[thrown.code] ?? "invalid_request", thrown.message, thrown.status);
  }
  if (store.isUnavailable(thrown)) {
    return new OAuthRefusal("temporarily_unavailable", problem("db_unavailable").message, 503);
  }
  return new OAuthRefusal("server_error", "Something went wrong on our side.", 500);
}

function send(response: Response, status: number, body: Record<string, unknown> | undefined): void {
  const headers = { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff" };
  if (body === undefined) return void response.writeHead(status, headers).end();
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

const MAX_OAUTH_BYTES = 16 * 1024;
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;

/** The parameters of a form, none of them twice: readers differ on which one holds. @throws OAuthRefusal, Problem */
async function readParameters(request: Request): Promise<{ one(name: string): string }> {
  if (!FORM.test(request.headers["content-type"] ?? "")) {
    throw new OAuthRefusal("invalid_request", "Send a form, application/x-www-form-urlencoded.");
  }
  const form = new URLSearchParams((await readBytes(request, MAX_OAUTH_BYTES)).toString("utf8"));
  const names = [...form.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const error = twice === "resource" ? "invalid_target" : "invalid_request";
    throw new OAuthRefusal(error, `${JSON.stringify(twice)} is given twice.`);
  }
  return {
    one(name) {
      const value = form.get(name);
      if (!value)
        throw new OAuthRefusal(name === "resource" ? "invalid_target" : "invalid_request", `${name} is missing.`);
      return value;
    },
  };
}

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
