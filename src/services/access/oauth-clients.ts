import { problem } from "../../core/problem.ts";
import { isRedirectOf } from "../../domain/access/oauth.ts";

/** What counts here of the metadata that a client sends or publishes (RFC 7591). */
export interface ClientMetadata {
  name: string;
  redirectUris: string[];
}

/** An MCP client that asks for access. */
export interface OAuthClient extends ClientMetadata {
  id: string;
  /** The host whose document describes it; null if it registered itself, so that nothing backs its name. */
  host: string | null;
}

/** @throws Problem validation_failed */
export function requireRedirect({ redirectUris }: OAuthClient, redirectUri: string): void {
  if (redirectUris.some((registered) => isRedirectOf(registered, redirectUri))) return;
  throw problem("validation_failed", "redirect_uri: is none of those that the client has registered.");
}
