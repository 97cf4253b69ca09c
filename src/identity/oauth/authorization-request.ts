import { problem } from "../../core/problem.ts";
import { CHALLENGE } from "../../domain/access/oauth.ts";

/** What says who asks and where the answer goes; until both are sound, nobody is sent anywhere. */
export interface Asker {
  clientId: string;
  redirectUri: string;
}

/** RFC 6749, 4.1.2.1, and RFC 8707. */
type AuthorizationError = "invalid_request" | "invalid_target" | "unsupported_response_type" | "access_denied";

interface Fault {
  error: AuthorizationError;
  description: string;
}

/** @throws Problem validation_failed */
export function readAsker(query: URLSearchParams): Asker {
  const one = (name: string): string => {
    const [value, ...more] = query.getAll(name);
    if (more.length > 0) throw problem("validation_failed", `${name}: is given twice.`);
    if (!value) throw problem("validation_failed", `${name}: is missing; the client's request is not whole.`);
    return value;
  };
  return { clientId: one("client_id"), redirectUri: one("redirect_uri") };
}

const TAKEN = ["response_type", "code_challenge", "code_challenge_method", "resource", "state", "scope"];

/** Judges the rest of a request, whose faults are told to the client. The scope asked for is not: there is but one. */
export function judgeRequest(query: URLSearchParams, resource: string): { challenge: string } | Fault {
  const invalid = (description: string, error: AuthorizationError = "invalid_request"): Fault => ({
    error,
    description,
  });
  const twice = TAKEN.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined)
    return invalid(`${twice} is given twice`, twice === "resource" ? "invalid_target" : undefined);
  if (query.has("request") || query.has("request_uri")) return invalid("request objects are not taken");
  if ((query.get("response_mode") ?? "query") !== "query") return invalid("response_mode must be query");
  if (query.get("response_type") !== "code") return invalid("response_type must be code", "unsupported_response_type");
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256") return invalid("code_challenge_method must be S256");
  if (!CHALLENGE.test(challenge)) return invalid("code_challenge must be the base64url of a SHA-256");
  if (query.get("resource") !== resource) return invalid(`resource must be ${resource}`, "invalid_target");
  return { challenge };
}

/** The client's address with an answer, which says whose it is (RFC 9207). */
export function answerTo(
  redirectUri: string,
  answer: Record<string, string>,
  { query, issuer }: { query: URLSearchParams; issuer: string },
): string {
  const [state, ...more] = query.getAll("state");
  const params = new URLSearchParams({ ...answer, ...(state && more.length === 0 ? { state } : {}), iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${params}`;
}
