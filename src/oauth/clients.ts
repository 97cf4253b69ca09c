import { randomBytes } from "node:crypto";
import type { Clock } from "../context.ts";
import { isRegistered } from "../domain/connector.ts";
import { isRedirectOf } from "../domain/redirect-uri.ts";
import { problem } from "../problem.ts";
import type { RegisteredClient } from "../store/connectors.ts";
import type { Store } from "../store/store.ts";
import type { Described } from "./client-metadata.ts";
import { createDocuments, type DocumentParts } from "./documents.ts";

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
