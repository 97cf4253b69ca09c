import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { ClientFinder } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import {
  CLIENT_NAME_LENGTH,
  type ClientMetadata,
  isRegistered,
  MAX_REDIRECTS,
  redirectHost,
  redirectRefusal,
} from "../../domain/access/oauth.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import { parseJson } from "../../http/json.ts";
import { checkUrl } from "../../lib/http-client/addresses.ts";
import type { GuardedClient } from "../../lib/http-client/client.ts";
import { CallError } from "../../lib/http-client/errors.ts";
import type { Clock } from "../../lib/time.ts";
import type { RegisteredClient } from "../../store/access.ts";
import type { Store } from "../../store/store.ts";

export interface ClientDirectory extends ClientFinder {
  /** Undefined if there are too many unused registrations. */
  register(metadata: ClientMetadata): Promise<RegisteredClient | undefined>;
}

/** Registrations that no member has approved yet; the housekeeper deletes them after a day. */
const MAX_UNUSED = 5_000;

interface DocumentParts {
  /** Reaches only public addresses, even if callbacks can reach private ones. */
  client: Pick<GuardedClient, "get">;
  limits: {
    /** @throws Problem challenge_limit */
    spend(principal: string, host: string): Promise<void>;
  };
  clock: Clock;
}

interface DirectoryParts extends DocumentParts {
  store: Pick<Store, "clients">;
  /** Whether a client may be known by its document. If not, it has to register. */
  readsDocuments: boolean;
}

export function createClients(parts: DirectoryParts): ClientDirectory {
  const { store, clock, readsDocuments } = parts;
  const documents = createDocuments(parts);
  return {
    async find(id, principal) {
      if (!isRegistered(id)) {
        if (!readsDocuments) throw problem("client_not_found", DOCUMENTS_OFF);
        return { id, ...(await documents.read(id, principal)) };
      }
      const found = await store.clients.find(id);
      if (found === undefined) {
        throw notFound("is not registered");
      }
      return { id, name: found.name, redirectUris: found.redirectUris, host: null };
    },
    async register(metadata) {
      const id = `client_${randomBytes(16).toString("base64url")}`;
      const client = { id, ...metadata, createdAt: clock.now() };
      return (await store.clients.register(client, MAX_UNUSED)) ? client : undefined;
    },
  };
}

/** The fields of RFC 7591 that are read, in a registration and in a client's document. */
const ClientMetadataFields = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECTS),
  client_name: z.string().max(CLIENT_NAME_LENGTH).optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/** RFC 7591, 3.2.2. */
interface ClientMetadataError {
  error: "invalid_redirect_uri" | "invalid_client_metadata";
  description: string;
}

export function readClientMetadata(value: unknown): { metadata: ClientMetadata } | { refusal: ClientMetadataError } {
  const refused = (description: string, error: ClientMetadataError["error"] = "invalid_client_metadata") => ({
    refusal: { error, description },
  });
  const parsed = ClientMetadataFields.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") ?? "";
    const error = path.startsWith("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
    return refused(`${path === "" ? "The body" : path} ${issue?.message}.`, error);
  }
  const { redirect_uris: uris, client_name: given = "", grant_types, response_types } = parsed.data;
  for (const [i, uri] of uris.entries()) {
    const wrong = redirectRefusal(uri);
    if (wrong !== undefined) return refused(`redirect_uris.${i} ${wrong}.`, "invalid_redirect_uri");
  }
  if (grant_types?.includes("authorization_code") === false) {
    return refused("grant_types must include authorization_code.");
  }
  if (response_types?.includes("code") === false) return refused("response_types must include code.");
  return { metadata: { name: displayName(given) || redirectHost(uris[0] as string), redirectUris: uris } };
}

/** On one line, with hidden characters made visible: people decide by it. */
function displayName(given: string): string {
  const line = given.replace(/\s+/g, " ").trim();
  return (revealHidden(line) ?? line).slice(0, CLIENT_NAME_LENGTH);
}

const MAX_ID_LENGTH = 500;
const MAX_DOCUMENT_BYTES = 10 * 1024;
const DEADLINE_MS = 5_000;
/** Long enough for a sign-in and a second try, short enough that changes to a document are seen. */
const CACHE_MS = 600_000;
const MAX_CACHED = 500;

/** Reads Client ID Metadata Documents: the id of such a client is the URL of the document that describes it. */
function createDocuments({ client, limits, clock }: DocumentParts) {
  const cache = new Map<string, { metadata: ClientMetadata; until: number }>();

  async function fetchDocument(url: URL, principal: string): Promise<ClientMetadata> {
    await limits.spend(principal, url.hostname);
    const options = { headers: { accept: "application/json" }, read: MAX_DOCUMENT_BYTES + 1, deadlineMs: DEADLINE_MS };
    const { status, headers, body } = await client.get(url, options).catch((error: unknown) => {
      throw error instanceof CallError ? unreadable(error.reason) : error;
    });
    if (status !== 200) throw unreadable(`it responded with ${status}, and redirects are not followed`);
    if (!/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i.test(headers.contentType ?? "")) {
      throw unreadable("it must be sent as application/json");
    }
    if (body.length > MAX_DOCUMENT_BYTES) throw unreadable(`it is longer than ${MAX_DOCUMENT_BYTES / 1024} KiB`);
    const value = parseDocument(body);
    // A document that names another client, or publishes a secret, does not describe this one.
    if (value?.client_id !== url.href) throw unreadable("its client_id is not this address");
    if (value.client_secret !== undefined || (value.token_endpoint_auth_method ?? "none") !== "none") {
      throw unreadable("its token_endpoint_auth_method must be none");
    }
    const read = readClientMetadata(value);
    if ("refusal" in read) throw unreadable(read.refusal.description.replace(/\.$/, ""));
    return read.metadata;
  }

  return {
    /** @throws Problem client_not_found, challenge_limit */
    async read(id: string, principal: string): Promise<ClientMetadata & { host: string }> {
      const { url, refusal } = checkUrl(id, { allowPrivate: false });
      // Another spelling of the URL would be another client with the same document.
      if (url === undefined || url.href !== id || url.pathname === "/" || id.length > MAX_ID_LENGTH) {
        throw notFound(refusal ?? "is not an https URL with a path in its normalized form");
      }
      const now = clock.now();
      const cached = cache.get(id);
      if (cached !== undefined && cached.until > now) return { ...cached.metadata, host: url.host };
      const metadata = await fetchDocument(url, principal);
      cache.delete(id);
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
      cache.set(id, { metadata, until: now + CACHE_MS });
      return { ...metadata, host: url.host };
    },
  };
}

function parseDocument(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    throw unreadable("it is not valid JSON");
  }
}

const DOCUMENTS_OFF =
  "client_id: is a client metadata document, which this server doesn't read. Remove the client's saved sign-in for " +
  "this server and connect again, so that it registers.";
const notFound = (why: string) => problem("client_not_found", `client_id: ${why}. Connect the MCP client again.`);
const unreadable = (why: string) => notFound(`has a document that can't be read: ${why}`);
