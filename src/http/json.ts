import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { failure } from "../core/envelope.ts";
import type { SendableAnswer } from "../core/invoke.ts";
import { type Problem, problem } from "../core/problem.ts";
import { MAX_JSON_DEPTH } from "../lib/json-text.ts";
import { trimEndOf } from "../lib/trim-end.ts";
import { sendTogether } from "./send-together.ts";

export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Reads a request's body as JSON.
 *
 * @param isFreeForm which fields of the body may hold any JSON
 * @throws Problem unsupported_media_type, payload_too_large, invalid_json
 */
export async function readJsonBody(request: IncomingMessage, isFreeForm?: IsFreeForm): Promise<unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json *(?:; *charset="?utf-8"? *)?$/i.test(type)) {
    throw problem("unsupported_media_type", "Content-Type must be application/json in UTF-8.");
  }
  if (!/^(?:identity)?$/i.test(request.headers["content-encoding"] ?? "")) {
    throw problem("unsupported_media_type", "Content-Encoding is not supported. Send the body uncompressed.");
  }
  return parseJson(await readBytes(request), isFreeForm);
}

/** @throws Problem payload_too_large, and invalid_json if the connection breaks */
export async function readBytes(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const tooLarge = () =>
    problem("payload_too_large", `The request body is larger than ${maxBytes / 1024} KiB. Send less in one request.`);
  const length = Number(request.headers["content-length"] ?? 0);
  if (length > maxBytes) throw tooLarge();
  // A small body usually comes with its headers. Waiting for its events would end the callback, and with it the read
  // transaction in which the key was found.
  if (length > 0 && length === request.readableLength) {
    const body = request.read() as Buffer;
    // Without this, `end` is never emitted, and Admission counts the request only then.
    request.resume();
    return body;
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners("data");
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const broken = () => reject(problem("invalid_json", "The request body is incomplete. Send it again."));
    request.on("error", broken);
    request.on("close", () => {
      if (!request.complete) broken();
    });
  });
}

/**
 * Strict JSON in UTF-8. Refuses what could not be stored as it was sent: a name given twice in one object, since parsers
 * differ on which one counts, and a number with a value that a double cannot hold.
 *
 * @param isFreeForm which fields of the root object may hold any JSON
 * @throws Problem invalid_json
 */
export function parseJson(bytes: Buffer, isFreeForm: IsFreeForm = noField): unknown {
  if (!isUtf8(bytes)) throw problem("invalid_json", "The request body is not valid UTF-8. Encode it as UTF-8.");
  const text = bytes.toString("utf8");
  if (text.trim() === "") throw problem("invalid_json", "The request body is empty. Send a JSON object.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw problem("invalid_json", "The request body is not valid JSON. Send one JSON object.", { cause });
  }
  if (!isAsWritten(text, value)) checkStructure(text, isFreeForm);
  return value;
}

/**
 * Whether JSON.stringify would write the value as this text, and no value is nested too deep: then no name appears
 * twice, and a double holds each number. Most clients send such text, and comparing it takes a tenth of the time.
 */
function isAsWritten(text: string, value: unknown): boolean {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BRACE || code === BRACKET) opened += 1;
  }
  return opened <= MAX_JSON_DEPTH && JSON.stringify(value) === text;
}

const BRACE = 0x7b;
const BRACKET = 0x5b;

/** Whether the value of a field of the body is taken as JSON.parse gives it, or ignored. */
export type IsFreeForm = (field: string) => boolean;
const noField: IsFreeForm = () => false;

/** Every token of valid JSON but true, false, null and commas. A string without an end is one too, so that it is read once. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]:]|-?\d[\d.eE+-]*/gs;

function checkStructure(text: string, isFreeForm: IsFreeForm): void {
  /** The names seen in each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  let isFree = false;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : undefined);
      if (open.length > MAX_JSON_DEPTH && !isFree) {
        throw problem(
          "invalid_json",
          `The request body is nested deeper than ${MAX_JSON_DEPTH} levels. Send a flatter one.`,
        );
      }
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      if (isFree && open.length > 1) continue;
      const names = open.at(-1);
      const name = last.includes("\\") ? (JSON.parse(last) as string) : last.slice(1, -1);
      isFree = open.length === 1 && isFreeForm(name);
      if (names?.has(name)) throw problem("invalid_json", `${name}: appears twice in one object. Send it once.`);
      names?.add(name);
    } else if (token.startsWith('"')) last = token;
    else if (!isFree && !isExact(token)) {
      throw problem("invalid_json", `The number ${token.slice(0, 40)} has too many digits. Send fewer digits.`);
    }
  }
}

/** Numbers of this many digits always fit a double. */
const SAFE_DIGITS = 15;

/** Whether a double holds the value of a number, however it is spelled: zeros at its end are not digits to keep. */
function isExact(literal: string): boolean {
  if (literal.length <= SAFE_DIGITS && !/e/i.test(literal)) return true;
  const digits = significant(literal);
  // A number beyond a double's range is left to the field's own rule.
  if (digits === "" || !Number.isFinite(Number(literal))) return true;
  const kept = Number(literal).toPrecision(Math.min(100, digits.length));
  // The shortest text of a double isn't always the nearest one of its length.
  return significant(kept) === digits || significant(String(Number(literal))) === digits;
}

function significant(literal: string): string {
  return trimEndOf((literal.split(/e/i, 1)[0] ?? "").replace(/\D/g, "").replace(/^0+/, ""), "0");
}

const MAX_DISCARDED_BYTES = 8 * 1024;

/** Reads a body to its end and ignores it. False if it is longer than 8 KiB, or if the connection breaks. */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_DISCARDED_BYTES) return false;
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > MAX_DISCARDED_BYTES) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** For clients that must sign in: the URL of the resource metadata (RFC 9728), and the scopes to ask for. */
interface Protection {
  metadata: string;
  scopes: readonly string[];
}

interface Reply extends SendableAnswer {
  /** Bytes that come before the body. */
  prefix?: Buffer;
}

/** The length of an answer in bytes. */
export const lengthOf = ({ prefix, body }: Pick<Reply, "prefix" | "body">): number =>
  (prefix?.length ?? 0) + Buffer.byteLength(body);

/** Sends an answer of the pipeline: its status, its envelope, and the headers that its refusal needs. */
export function reply(response: ServerResponse, answer: Reply, requestId: string, protection?: Protection): void {
  const headers: Record<string, string | number> = {
    "content-type": "application/json; charset=utf-8",
    "content-length": lengthOf(answer),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  };
  const { refusal } = answer;
  if (refusal !== undefined) {
    if (refusal.status === 401) headers["www-authenticate"] = challenge(refusal, protection);
    // The rest of the upload is discarded, see createWebApp.
    if (refusal.code === "payload_too_large") headers.connection = "close";
    if (refusal.retryAfter !== undefined) headers["retry-after"] = refusal.retryAfter;
  }
  // Before it is sent, for those who look at it once the handler is done.
  response.statusCode = answer.status;
  sendTogether(response, () => {
    response.writeHead(answer.status, STATUS_CODES[answer.status], headers);
    if (answer.prefix !== undefined) response.write(answer.prefix);
    response.end(answer.body);
  });
}

/** Sends a refusal outside the pipeline: unknown routes, wrong methods, foreign hosts. */
export function replyProblem(response: ServerResponse, refusal: Problem, requestId: string): void {
  reply(response, { status: refusal.status, body: failure(refusal), refusal }, requestId);
}

/** RFC 6750 and 9728: the scheme, the error if a token was sent, and where an MCP client learns how to sign in. */
function challenge(refusal: Problem, protection?: Protection): string {
  if (refusal.code === "not_signed_in") return 'Session realm="rostrum"';
  const parts = ['Bearer realm="rostrum"'];
  if (refusal.code !== "missing_key") parts.push(`error="invalid_token", error_description="${refusal.code}"`);
  if (protection !== undefined) {
    parts.push(`resource_metadata="${protection.metadata}"`, `scope="${protection.scopes.join(" ")}"`);
  }
  return parts.join(", ");
}

export const VALID_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The caller's own X-Request-Id if it sent a valid one, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && VALID_REQUEST_ID.test(given) ? given : randomUUID();
}
