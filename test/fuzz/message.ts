import fc from "fast-check";
import { problems } from "../../src/core/problem.ts";

/** A marker in every record of the other workspace, which no answer may contain. */
export const NEIGHBOR = "neighbor-0f5e2b";

/** Ids of records, by kind. */
export type Ids = Record<string, string[]>;

/** The records that requests are about. */
export interface World {
  port: number;
  workspaceId: string;
  keys: string[];
  /** The owner's session. */
  cookie: string;
  ids: Ids;
  neighborId: string;
  foreignIds: Ids;
}

export type Header = [name: string, value: string];

/** A request before it becomes bytes. */
export interface Message {
  surface: string;
  method: string;
  target: string;
  headers: Header[];
  body: Buffer;
  /** Its documented statuses. */
  statuses: readonly number[];
}

export interface Sent {
  surface: string;
  bytes: Buffer;
  statuses: readonly number[];
  isHead: boolean;
  /** Whether it is one well-formed request, so that one answer must come. */
  isWhole: boolean;
  /** How many of the bytes are sent before the connection is reset. */
  cutAt?: number;
}

export const NO_BODY = Buffer.alloc(0);
export const JSON_TYPE: Header = ["content-type", "application/json"];
export const FORM_TYPE: Header = ["content-type", "application/x-www-form-urlencoded"];

/** Without a documented list, every refusal of the server is allowed except the harmful ones. */
export const REFUSALS = [...new Set(Object.values(problems).map(({ status }) => status as number))].filter(
  (status) => status < 500,
);

/** Any text, including what breaks careless code. */
export const odd = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("", "\0", "..", "%", "%00", "%zz", "null", "-1", "1e999", "\ud800", "💥", "é".repeat(300)),
  fc.constantFrom("0190aaaa-0000-7000-8000-00000000abcd", "' OR 1=1 --", "<script>", "{{name}}", "a".repeat(3_000)),
);

/** Null most of the time. */
export const rarely = <T>(made: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: made });

/** Encoded as part of a URL. Lone surrogates have no percent-encoding. */
export const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
export const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "null");
/** A query, or the body of a form. */
export const pairs = (fields: readonly (readonly [string, string])[]) =>
  fields.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
/** A path with its query, if it has one. */
export const withQuery = (path: string, fields: readonly (readonly [string, string])[]) =>
  fields.length === 0 ? path : `${path}?${pairs(fields)}`;

/** The bytes of a message that HTTP can read. */
export function inBytes(host: string, { surface, method, target, headers, body, statuses }: Message): Sent {
  const length: Header[] = body.length > 0 || method === "POST" ? [["content-length", `${body.length}`]] : [];
  const lines = [["host", host], ...headers, ...length].map(([name, value]) => `${name}: ${oneLine(value)}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  return { surface, bytes: Buffer.concat([head, body]), statuses, isHead: method === "HEAD", isWhole: true };
}

/** As the bytes of one line. MCP methods, which are also headers, can be anything. */
const oneLine = (value: unknown) => Buffer.from(String(value).replace(/[\r\n\0]/g, " ")).toString("latin1");
