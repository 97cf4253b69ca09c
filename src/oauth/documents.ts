import type { Clock } from "../context.ts";
import { parseJson } from "../http/json-body.ts";
import { checkUrl } from "../lib/http-client/addresses.ts";
import type { GuardedClient } from "../lib/http-client/client.ts";
import { CallError } from "../lib/http-client/errors.ts";
import { problem } from "../problem.ts";
import { type Described, readClientMetadata } from "./client-metadata.ts";

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
export function createDocuments({ client, limits, clock }: DocumentParts) {
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
