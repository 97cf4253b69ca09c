import type { ClientFinder } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { CHALLENGE, type OAuthClient } from "../../domain/access/oauth.ts";
import { requireRedirect } from "../../services/access/oauth-clients.ts";

/** RFC 6749, 4.1.2.1, and RFC 8707. */
interface AuthorizationError {
  error: "invalid_request" | "invalid_target" | "unsupported_response_type";
  description: string;
}

/** Which client asks, and where the answer goes. Until both are valid, the browser is redirected nowhere. */
interface ClientAndRedirect {
  clientId: string;
  redirectUri: string;
}

/** @throws Problem validation_failed */
export function readClientAndRedirect(query: URLSearchParams): ClientAndRedirect {
  const required = (name: string): string => {
    const [value, ...more] = query.getAll(name);
    if (more.length > 0) throw problem("validation_failed", `${name}: is in the request twice. Send it once.`);
    if (!value) throw problem("validation_failed", `${name}: is required. Connect the MCP client again.`);
    return value;
  };
  return { clientId: required("client_id"), redirectUri: required("redirect_uri") };
}

/**
 * Finds the client, and requires that it has registered the redirect URI.
 *
 * @throws Problem client_not_found, challenge_limit, validation_failed
 */
export async function findClient(
  clients: ClientFinder,
  { clientId, redirectUri }: ClientAndRedirect,
  principal: string,
): Promise<OAuthClient> {
  const client = await clients.find(clientId, principal);
  requireRedirect(client, redirectUri);
  return client;
}

const PARAMETERS = ["response_type", "code_challenge", "code_challenge_method", "resource", "state", "scope"];

/** Checks the rest of a request; its errors go to the client. The scope is not checked: there is only one grant. */
export function checkAuthorizationRequest(
  query: URLSearchParams,
  resource: string,
): { challenge: string } | AuthorizationError {
  const invalid = (
    description: string,
    error: AuthorizationError["error"] = "invalid_request",
  ): AuthorizationError => ({ error, description });
  const twice = PARAMETERS.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined)
    return invalid(`send ${twice} only once`, twice === "resource" ? "invalid_target" : undefined);
  if (query.has("request") || query.has("request_uri")) return invalid("request objects are not supported");
  if ((query.get("response_mode") ?? "query") !== "query") return invalid("response_mode must be query");
  if (query.get("response_type") !== "code") return invalid("response_type must be code", "unsupported_response_type");
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256") return invalid("code_challenge_method must be S256");
  if (!CHALLENGE.test(challenge)) return invalid("code_challenge must be the base64url of a SHA-256");
  if ((query.get("resource") || resource) !== resource) {
    return invalid(`resource must be ${resource}, or omitted`, "invalid_target");
  }
  return { challenge };
}

/** The redirect URI with the authorization response, which names its issuer (RFC 9207). */
export function authorizationResponseUrl(
  redirectUri: string,
  response: Record<string, string>,
  { query, issuer }: { query: URLSearchParams; issuer: string },
): string {
  const [state, ...more] = query.getAll("state");
  const params = new URLSearchParams({ ...response, ...(state && more.length === 0 ? { state } : {}), iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${params}`;
}
