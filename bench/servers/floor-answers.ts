import { createHash, randomUUID } from "node:crypto";
import type http from "node:http";

/** What the floors answer, whichever database they ask. */

export const BASE = "/api/v1/contacts";

export interface FloorKey {
  id: string;
  workspaceId: string;
  revokedAt: number | null;
}

export type Fields = Record<string, string>;

export interface Page {
  limit: number;
  offset: number;
}

export interface Found {
  text: string | Buffer;
  count: number;
  total: number;
}

/** The fields of a contact that the bench fills. */
export const FIELDS = [
  "email",
  "first_name",
  "last_name",
  "company",
  "job_title",
  "phone",
  "socialnet_url",
  "website",
] as const;

/** The hash of the key in a request. */
export function keyHash(request: http.IncomingMessage): Buffer {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  return createHash("sha256").update(token).digest();
}

/** The hash of what an idempotency key stands for. */
export function answerHash(workspaceId: string, request: http.IncomingMessage): Buffer {
  const parts = [workspaceId, "POST", "/contacts", request.headers["idempotency-key"]];
  return createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
}

/** The body of a request, parsed. */
export function readBody(request: http.IncomingMessage, done: (body: unknown) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    done(JSON.parse((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8")));
  });
}

export function pageIn(url: string): Page {
  const query = new URLSearchParams(url.slice(BASE.length + 1));
  return { limit: Number(query.get("limit") ?? 25), offset: Number(query.get("offset") ?? 0) };
}

export function envelope(data: string): string {
  return `{"data":${data},"error":null}`;
}

export function list(page: Page, found: Found): string | Buffer {
  const hasMore = found.count > 0 && page.offset + found.count < found.total;
  const rest = `,"meta":${JSON.stringify({ total: found.total, ...page, hasMore })},"error":null}`;
  if (typeof found.text === "string") return `{"data":${found.text}${rest}`;
  return Buffer.concat([BEFORE_DATA, found.text, Buffer.from(rest)]);
}

const BEFORE_DATA = Buffer.from('{"data":');

/** A new contact as it is answered. */
export function created(id: string, values: Record<string, unknown>, now: number): string {
  const at = new Date(now).toISOString();
  const contact = { id, ...values, lifecycle: "prospect", source: "public_api", tags: null };
  return envelope(JSON.stringify({ ...contact, created_at: at, updated_at: at }));
}

/** A UUIDv7: ids that grow with time, so that the floor's index grows as Rostrum's does. */
export function timeId(now: number): string {
  const hex = now.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

export function send(response: http.ServerResponse, status: number, body: string | Buffer): void {
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": randomUUID(),
    })
    .end(body);
}
