import { problem } from "../../core/problem.ts";
import { isRedirectOf, type OAuthClient } from "../../domain/access/oauth.ts";

/** @throws Problem validation_failed */
export function requireRedirect({ redirectUris }: OAuthClient, redirectUri: string): void {
  if (redirectUris.some((registered) => isRedirectOf(registered, redirectUri))) return;
  throw problem(
    "validation_failed",
    "redirect_uri: must be one that the client registered. Connect the MCP client again.",
  );
}
