import { randomBytes } from "node:crypto";
import { z } from "zod";
import { problem } from "../../core/problem.ts";
import {
  CLIENT_NAME_LENGTH,
  isRedirectOf,
  isRegistered,
  MOST_REDIRECTS,
  redirectHost,
  redirectRefusal,
} from "../../domain/access/oauth.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import { parseJson } from "../../http/body.ts";
import type { Clock } from "../../lib/time.ts";
import { checkUrl } from "../../net/address.ts";
import { CallError } from "../../net/call-error.ts";
import type { GuardedClient } from "../../net/client.ts";
import type { RegisteredClient } from "../../store/access.ts";
import type { Store } from "../../store/store.ts";

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

export interface DocumentParts {
  /** Reaches public addresses alone, whatever callbacks may. */
  client: Pick<GuardedClient, "get">;
  limits: {
    /** @throws Problem challenge_limit */
    spend(principal: string, host: string): Promise<void>;
  };
  clock: Clock;
}

const LONGEST_ID = 500;
const MOST_BYTES = 10 * 1024;
const DEADLINE_MS = 5_000;
/** Long enough for a sign-in and its second try, short enough that a client that changes is not met as it was. */
const KEPT_MS = 600_000;
const MOST_KEPT = 500;

/** Reads Client ID Metadata Documents: a client whose id is an address is what the document there says it is. */
function createDocuments({ client, limits, clock }: DocumentParts) {
  const kept = new Map<string, { described: Described; until: number }>();

  async function fetchDocument(url: URL, principal: string): Promise<Described> {
    await limits.spend(principal, url.hostname);
    const options = { headers: { accept: "application/json" }, read: MOST_BYTES + 1, deadlineMs: DEADLINE_MS };
    const { status, headers, body } = await client.get(url, options).catch((error: unknown) => {
      throw error instanceof CallError ? unread(error.reason) : error;
    });
    if (status !== 200) throw unread(`it answered ${status}, and redirects are not followed`);
    if (!/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i.test(headers.contentType ?? "")) {
      throw unread("it is not sent as application/json");
    }
    if (body.length > MOST_BYTES) throw unread(`it is longer than ${MOST_BYTES / 1024} KiB`);
    const value = parsed(body);
    // A document that names another client, or holds a secret that everybody can read, is none for this one.
    if (value?.client_id !== url.href) throw unread("its client_id is not this address");
    if (value.client_secret !== undefined || (value.token_endpoint_auth_method ?? "none") !== "none") {
      throw unread("its client is no public one: token_endpoint_auth_method must be none");
    }
    const read = readClientMetadata(value);
    if ("refusal" in read) throw unread(read.refusal.description.replace(/\.$/, ""));
    return read.client;
  }

  return {
    /** @throws Problem client_not_found, challenge_limit */
    async read(id: string, principal: string): Promise<Described & { host: string }> {
      const { url, refusal } = checkUrl(id, { allowPrivate: false });
      // Any other spelling of an address would be another client with the same document.
      if (url === undefined || url.href !== id || url.pathname === "/" || id.length > LONGEST_ID) {
        throw unknown(refusal ?? "is no https address with a path, spelt as browsers do");
      }
      const now = clock.now();
      const found = kept.get(id);
      if (found !== undefined && found.until > now) return { ...found.described, host: url.host };
      const described = await fetchDocument(url, principal);
      kept.delete(id);
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
      kept.set(id, { described, until: now + KEPT_MS });
      return { ...described, host: url.host };
    },
  };
}

function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    throw unread("it is not valid JSON");
  }
}

const unknown = (why: string) => problem("client_not_found", `client_id: ${why}.`);
const unread = (why: string) => unknown(`no document of a client can be read there: ${why}`);

/** An MCP client that asks to be let in. */
export interface Client extends Described {
  id: string;
  /** Whose document describes it; null where it registered itself, so that its name is its own word alone. */
  host: string | null;
}

/** How a client is known by its id. */
export interface ClientDirectory {
  /**
   * @param principal who asks, for a document is fetched on somebody's behalf alone
   * @throws Problem client_not_found, challenge_limit
   */
  find(id: string, principal: string): Promise<Client>;
  /** Undefined where as many registrations wait unused as there may be. */
  register(described: Described): Promise<RegisteredClient | undefined>;
}

/** Registrations that nobody has approved anything for; the housekeeper clears them after a day. */
const MOST_UNUSED = 5_000;

export function createClients(parts: DocumentParts & { store: Pick<Store, "clients">; clock: Clock }): ClientDirectory {
  const { store, clock } = parts;
  const documents = createDocuments(parts);
  return {
    async find(id, principal) {
      if (!isRegistered(id)) return { id, ...(await documents.read(id, principal)) };
      const found = await store.clients.find(id);
      if (found === undefined) {
        throw problem("client_not_found", "client_id: no client is registered by it; have it register anew.");
      }
      return { id, name: found.name, redirectUris: found.redirectUris, host: null };
    },
    async register(described) {
      const id = `client_${randomBytes(16).toString("base64url")}`;
      const client = { id, ...described, createdAt: clock.now() };
      return (await store.clients.register(client, MOST_UNUSED)) ? client : undefined;
    },
  };
}

/** @throws Problem validation_failed */
export function requireRedirect({ redirectUris }: Client, given: string): void {
  if (redirectUris.some((registered) => isRedirectOf(registered, given))) return;
  throw problem("validation_failed", "redirect_uri: is none of those that the client has registered.");
}
