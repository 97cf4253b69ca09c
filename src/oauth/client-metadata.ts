import { z } from "zod";
import { CLIENT_NAME_LENGTH, MOST_REDIRECTS } from "../domain/connector.ts";
import { revealHidden } from "../domain/hidden-text.ts";
import { redirectHost, redirectRefusal } from "../domain/redirect-uri.ts";

/** What is read of a client's own words (RFC 7591), whether it sends them or has them fetched. */
const ClientMetadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MOST_REDIRECTS),
  client_name: z.string().max(CLIENT_NAME_LENGTH).optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/** What a client says of itself, as far as it counts here. */
export interface Described {
  name: string;
  redirectUris: string[];
}

/** Why a client cannot be taken, by RFC 7591's names. */
export interface Undescribed {
  error: "invalid_redirect_uri" | "invalid_client_metadata";
  description: string;
}

export function readClientMetadata(value: unknown): { client: Described } | { refusal: Undescribed } {
  const refused = (description: string, error: Undescribed["error"] = "invalid_client_metadata") => ({
    refusal: { error, description },
  });
  const parsed = ClientMetadata.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") ?? "";
    const error = path.startsWith("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
    return refused(`${path === "" ? "" : `${path}: `}${issue?.message}.`, error);
  }
  const { redirect_uris: uris, client_name: given = "", grant_types, response_types } = parsed.data;
  for (const [i, uri] of uris.entries()) {
    const wrong = redirectRefusal(uri);
    if (wrong !== undefined) return refused(`redirect_uris.${i}: ${wrong}.`, "invalid_redirect_uri");
  }
  if (grant_types?.includes("authorization_code") === false) {
    return refused("grant_types: authorization_code is the one that there is.");
  }
  if (response_types?.includes("code") === false) return refused("response_types: code is the one that there is.");
  return { client: { name: nameOf(given) || redirectHost(uris[0] as string), redirectUris: uris } };
}

/** In one line, and with all that hides in it shown: people read it to decide. */
function nameOf(given: string): string {
  const line = given.replace(/\s+/g, " ").trim();
  return (revealHidden(line) ?? line).slice(0, CLIENT_NAME_LENGTH);
}
