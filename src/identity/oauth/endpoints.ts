import type { Express, Request, RequestHandler, Response } from "express";
import { Problem, type ProblemCode, problem, UNAVAILABLE_SECONDS } from "../../core/problem.ts";
import { CONNECTOR_SCOPES, MCP_PATH, VERIFIER } from "../../domain/access/oauth.ts";
import { parseJson, readBytes, replyProblem, requestId } from "../../http/json.ts";
import type { Log } from "../../lib/log.ts";
import type { Store } from "../../store/store.ts";
import { type ConnectionLog, clientOf } from "../connection-log.ts";
import type { ConnectLimits } from "../rate-limits.ts";
import { type ClientDirectory, readClientMetadata } from "./clients.ts";
import type { Grants } from "./grants.ts";
import { ENDPOINTS, mountMetadata } from "./metadata.ts";

export interface OAuthParts {
  clients: ClientDirectory;
  grants: Grants;
  limits: ConnectLimits;
  connections: ConnectionLog;
  store: Pick<Store, "isUnavailable">;
  log: Log;
  /** The issuer: the public address of this server, without a trailing slash. */
  url: () => string;
  /** Whether a client's id may be the address of its own metadata document. */
  readsDocuments: boolean;
}

/** What clients call: metadata, registration, token and revocation. The authorization endpoint is a console page. */
export function mountOAuth(app: Express, parts: OAuthParts): void {
  mountMetadata(app, parts);
  const serve = (path: string, answer: Answer) => app.route(path).post(endpoint(parts, answer)).all(postOnly);
  serve(ENDPOINTS.register, (request) => register(parts, request));
  serve(ENDPOINTS.token, (request, asking) => token(parts, request, asking));
  serve(ENDPOINTS.revoke, (request) => revoke(parts, request));
}

/** Dynamic registration (RFC 7591). No client has a secret, whatever it asks for. */
async function register({ clients, limits, connections }: OAuthParts, request: Request): Promise<OAuthResponse> {
  await limits.register(request.ip);
  if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new OAuthError("invalid_client_metadata", "Send application/json.");
  }
  const read = readClientMetadata(parseJson(await readBytes(request, MAX_OAUTH_BYTES)));
  if ("refusal" in read) throw new OAuthError(read.refusal.error, read.refusal.description);
  const client = await clients.register(read.metadata);
  if (client === undefined) {
    throw new OAuthError(
      "temporarily_unavailable",
      "Too many clients are registered but not in use. Try again later.",
      503,
    );
  }
  connections.reached("registration", clientOf(request), { clientId: client.id, client: client.name });
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

/** Exchanges a code for a key, which lasts until it is revoked: there is no refresh token. */
async function token(
  { grants, limits, connections, url }: OAuthParts,
  request: Request,
  asking: Asking,
): Promise<OAuthResponse> {
  await limits.ask(request.ip);
  const parameter = await readParameters(request);
  if (parameter("grant_type") !== "authorization_code") {
    throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code.");
  }
  const verifier = parameter("code_verifier");
  const clientId = parameter("client_id");
  asking.clientId = clientId;
  const own = url() + MCP_PATH;
  const resource = parameter.optional("resource") ?? own;
  const key = await grants.exchange({
    code: parameter("code"),
    verifier: VERIFIER.test(verifier) ? verifier : "",
    clientId,
    redirectUri: parameter("redirect_uri"),
    resource,
    requestId: requestId(request),
  });
  if (key === undefined) {
    if (resource !== own) throw foreignResource(own);
    throw new OAuthError("invalid_grant", "The code was already used, has expired, or belongs to another request.");
  }
  connections.minted(key, clientOf(request), clientId);
  return { status: 200, body: { access_token: key, token_type: "Bearer", scope: CONNECTOR_SCOPES.join(" ") } };
}

/** RFC 7009: an unknown token counts as revoked; a client cannot revoke another client's. */
async function revoke({ grants, limits, url }: OAuthParts, request: Request): Promise<OAuthResponse> {
  await limits.ask(request.ip);
  const parameter = await readParameters(request);
  const own = url() + MCP_PATH;
  if ((parameter.optional("resource") ?? own) !== own) throw foreignResource(own);
  const revocation = await grants.revoke(parameter("token"), parameter("client_id"), requestId(request));
  if (revocation === "other_client") {
    throw new OAuthError("unauthorized_client", "The token was not issued to this client.");
  }
  return { status: 200 };
}

/** RFC 8707. Without the parameter, a request is for this server's one resource. */
const foreignResource = (own: string) => new OAuthError("invalid_target", `resource must be ${own}, or omitted.`);

const postOnly: RequestHandler = (request, response) => {
  response.setHeader("allow", "POST");
  replyProblem(response, problem("method_not_allowed", "Use POST for this path."), requestId(request));
};

/** An error response of OAuth (RFC 6749, 5.2; RFC 7591, 3.2.2). */
class OAuthError extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

interface OAuthResponse {
  status: number;
  body?: Record<string, unknown>;
}

const ERRORS: { [code in ProblemCode]?: string } = { rate_limited: "temporarily_unavailable" };

/** What is known of a request by the time that it fails. */
interface Asking {
  clientId?: string;
}

type Answer = (request: Request, asking: Asking) => Promise<OAuthResponse>;

/** An endpoint that clients POST to. Every error is answered in OAuth's form, and nothing is cached. */
function endpoint(
  { log, store, connections }: Pick<OAuthParts, "log" | "store" | "connections">,
  answer: Answer,
): RequestHandler {
  return async (request, response) => {
    const asking: Asking = {};
    try {
      const { status, body } = await answer(request, asking);
      send(response, status, body);
    } catch (thrown) {
      const refusal = refusalOf(thrown, store);
      if (refusal.status === 500)
        log.error({ err: thrown, requestId: requestId(request) }, "an error during a sign-in");
      connections.refused(
        { code: codeOf(thrown, refusal), message: refusal.message },
        clientOf(request),
        asking.clientId,
      );
      const wait = thrown instanceof Problem ? thrown.retryAfter : undefined;
      if (wait !== undefined) response.setHeader("retry-after", wait);
      else if (refusal.status === 503) response.setHeader("retry-after", UNAVAILABLE_SECONDS);
      if (thrown instanceof Problem) {
        // The rest of the upload is discarded, see createWebApp.
        if (thrown.code === "payload_too_large") response.setHeader("connection", "close");
      }
      send(response, refusal.status, { error: refusal.error, error_description: refusal.message });
    }
  };
}

/** Our own code where there is one: it says more than OAuth's. */
const codeOf = (thrown: unknown, { error }: OAuthError) => (thrown instanceof Problem ? thrown.code : error);

function refusalOf(thrown: unknown, store: Pick<Store, "isUnavailable">): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof Problem) {
    return new OAuthError(ERRORS[thrown.code] ?? "invalid_request", thrown.message, thrown.status);
  }
  if (store.isUnavailable(thrown)) {
    return new OAuthError("temporarily_unavailable", problem("db_unavailable").message, 503);
  }
  return new OAuthError("server_error", "Something went wrong on the server.", 500);
}

function send(response: Response, status: number, body: Record<string, unknown> | undefined): void {
  const headers = { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff" };
  if (body === undefined) return void response.writeHead(status, headers).end();
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

const MAX_OAUTH_BYTES = 16 * 1024;
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;

interface Parameters {
  /** @throws OAuthError if it is missing */
  (name: string): string;
  /** Undefined if it is missing or empty. */
  optional(name: string): string | undefined;
}

/** Reads a form. A parameter given twice is refused: parsers differ on which one counts. @throws OAuthError, Problem */
async function readParameters(request: Request): Promise<Parameters> {
  if (!FORM.test(request.headers["content-type"] ?? "")) {
    throw new OAuthError("invalid_request", "Send a form, application/x-www-form-urlencoded.");
  }
  const form = new URLSearchParams((await readBytes(request, MAX_OAUTH_BYTES)).toString("utf8"));
  const names = [...form.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const error = twice === "resource" ? "invalid_target" : "invalid_request";
    throw new OAuthError(error, `Send ${JSON.stringify(twice)} only once.`);
  }
  const optional = (name: string) => form.get(name) || undefined;
  const required = (name: string) => {
    const value = optional(name);
    if (value === undefined) throw new OAuthError("invalid_request", `${name} is required.`);
    return value;
  };
  return Object.assign(required, { optional });
}
