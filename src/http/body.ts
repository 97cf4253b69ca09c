import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { problem } from "../core/problem.ts";
import { MAX_DEPTH } from "../domain/text/storable.ts";

export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Reads a request's body as JSON.
 *
 * @throws Problem unsupported_media_type, payload_too_large, invalid_json
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json *(?:; *charset="?utf-8"?)? *$/i.test(type)) {
    throw problem("unsupported_media_type", "Content-Type: send application/json in UTF-8.");
  }
  if (!/^(?:identity)?$/i.test(request.headers["content-encoding"] ?? "")) {
    throw problem("unsupported_media_type", "Content-Encoding: send the body as it is, not compressed.");
  }
  return parseJson(await readBytes(request));
}

/** @throws Problem payload_too_large */
export async function readBytes(request: IncomingMessage, most = MAX_BODY_BYTES): Promise<Buffer> {
  const tooLarge = () => problem("payload_too_large", `The body is larger than ${most / 1024} KiB.`);
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) {
        request.removeAllListeners("data");
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const broken = () => reject(problem("invalid_json", "The body broke off before its end."));
    request.on("error", broken);
    request.on("close", () => {
      if (!request.complete) broken();
    });
  });
}

/**
 * Strict JSON in UTF-8. Refused is what would not be kept as it was sent: a name given twice in one object, since
 * readers differ on which one holds, and a number that a double cannot hold to the digits given.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw problem("invalid_json", "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  if (text.trim() === "") throw problem("invalid_json", "The body is empty; send a JSON object.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw problem("invalid_json", "The body is not valid JSON.", { cause });
  }
  checkStructure(text);
  return value;
}

/** Every token of valid JSON but true, false, null and commas. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]|-?\d[\d.eE+-]*/g;

/** So many digits a double always holds, short of its bounds. */
const SAFE_LENGTH = 15;

function isKept(literal: string): boolean {
  if (literal.length <= SAFE_LENGTH && !/e/i.test(literal)) return true;
  const digits = literal.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "");
  // What is too large for a double altogether is for the field's own rule to name.
  if (digits === "" || !Number.isFinite(Number(literal))) return true;
  const kept = Number(literal).toPrecision(Math.min(100, digits.length));
  return kept.replace(/e.*$/, "").replace(/\D/g, "").replace(/^0+/, "") === digits;
}

function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : undefined);
      if (open.length > MAX_DEPTH) throw problem("invalid_json", `The body nests deeper than ${MAX_DEPTH} levels.`);
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      const name = last.includes("\\") ? (JSON.parse(last) as string) : last.slice(1, -1);
      if (names?.has(name)) throw problem("invalid_json", `${name}: is given twice in one object; send it once.`);
      names?.add(name);
    } else if (token.startsWith('"')) last = token;
    else if (!isKept(token)) {
      throw problem("invalid_json", `The number ${token.slice(0, 40)} cannot be kept as it is; send fewer digits.`);
    }
  }
}

const MAX_BYTES = 8 * 1024;

/** Reads a body to its end and keeps nothing of it; false where it is too long, or breaks off. */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BYTES) return false;
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > MAX_BYTES) return false;
    }
    return true;
  } catch {
    return false;
  }
}
