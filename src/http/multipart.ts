import { problem } from "../core/problem.ts";

const TYPE = /^multipart\/form-data *;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const NAME = /^content-disposition: *form-data;(?:.*;)? *name="([^"]*)"/im;
const FILE = /^content-disposition: *form-data;.*; *filename\*?=/im;
/** More than any form of ours has. */
const MAX_PARTS = 2_000;
const CRLF2 = Buffer.from("\r\n\r\n");
const MARKS: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff],
];

export function isMultipart(contentType: string): boolean {
  return TYPE.test(contentType);
}

/**
 * The fields of a form with files, as text. An empty file is left out.
 *
 * @throws Problem bad_request, payload_too_large, validation_failed where a file is no text
 */
export function readMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  const [, quoted, plain] = TYPE.exec(contentType) ?? [];
  const delimiter = Buffer.from(`--${quoted ?? plain ?? ""}`);
  const fields: [string, string][] = [];
  let at = body.indexOf(delimiter);
  while (at !== -1) {
    const from = at + delimiter.length;
    if (body.subarray(from, from + 2).toString("latin1") !== "\r\n") return fields;
    const next = body.indexOf(delimiter, from);
    const headersEnd = body.indexOf(CRLF2, from);
    if (next === -1 || headersEnd === -1 || headersEnd > next) break;
    if (fields.length >= MAX_PARTS) throw problem("payload_too_large", "The form has too many fields. Remove some.");
    const headers = body.toString("utf8", from, headersEnd);
    // Before the delimiter is a line break that is not the field's.
    const value = body.subarray(headersEnd + CRLF2.length, Math.max(headersEnd + CRLF2.length, next - 2));
    const [, name = ""] = NAME.exec(headers) ?? [];
    if (!FILE.test(headers)) fields.push([name, value.toString("utf8")]);
    else if (value.length > 0) fields.push([name, textOf(value, name)]);
    at = next;
  }
  throw problem("bad_request", "The form is incomplete. Submit it again.");
}

function textOf(bytes: Buffer, name: string): string {
  const [encoding = "utf-8"] = MARKS.find(([, ...mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw problem("validation_failed", `${name}: is not text in UTF-8 or UTF-16. Save it as CSV in UTF-8.`);
  }
}
