import fc from "fast-check";
import { encoded, type Message, odd, REFUSALS, type Sent } from "./message.ts";

/** Statuses for a request whose path, method or host was changed. */
const ELSEWHERE = [400, 403, 404, 405];

/** Statuses for bytes that are not a request, or a different one, such as the console's start page. */
export const TRANSPORT = [...ELSEWHERE, 200, 303, 408, 413, 417, 431];

type Change<T> = (made: T) => T;

const withTarget =
  (change: (target: string) => string): Change<Message> =>
  (made) => ({ ...made, target: change(made.target), statuses: [...made.statuses, ...ELSEWHERE, 431] });
/** In addition to a header of the same name. */
const adding =
  (...headers: Message["headers"]): Change<Message> =>
  (made) => ({ ...made, headers: [...made.headers, ...headers], statuses: [...made.statuses, ...ELSEWHERE] });
/** Instead of it. */
const setting =
  (name: string, value: string): Change<Message> =>
  (made) => ({
    ...made,
    headers: [...made.headers.filter(([other]) => other !== name), [name, value]],
    statuses: [...made.statuses, ...ELSEWHERE, 417],
  });
const withBody =
  (change: (body: Buffer) => Buffer): Change<Message> =>
  (made) => ({ ...made, body: made.body.length === 0 ? made.body : change(made.body) });

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "LINK"];
const TYPES = [
  "text/plain",
  "application/xml",
  "",
  "application/json; charset=utf-16",
  "multipart/form-data; boundary=x",
];
const DEEP = Buffer.from(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
const LARGE = Buffer.alloc(300_000, "a");

/** Changes after which HTTP can still read the request. */
export const hostile: fc.Arbitrary<Change<Message>> = fc.oneof(
  fc
    .constantFrom(...METHODS)
    .map((method) => (made: Message) => ({ ...made, method, statuses: [...REFUSALS, 200, 201, 204, 303] })),
  fc.constantFrom(...TYPES).map((type) => setting("content-type", type)),
  fc.constantFrom("gzip", "br", "identity", "x").map((coding) => setting("content-encoding", coding)),
  fc
    .oneof(odd, fc.constantFrom("Basic YTpi", "bearer x", "Bearer  x y"))
    .map((value) => setting("authorization", value)),
  fc.constantFrom("http://evil.example", "null", "http://127.0.0.1", "").map((value) => setting("origin", value)),
  fc
    .constantFrom("x-request-id", "idempotency-key", "cookie", "mcp-method", "mcp-protocol-version", "accept")
    .chain((name) => odd.map((value) => setting(name, value))),
  fc.constantFrom("200-ok", "100-continue").map((value) => setting("expect", value)),
  fc.constantFrom("evil.example", "127.0.0.1", "").map((value) => adding(["host", value])),
  fc
    .constantFrom("authorization", "content-type", "idempotency-key", "cookie", "mcp-method")
    .chain((name) => odd.map((value) => adding([name, value]))),
  fc.constantFrom("te", "range", "if-none-match", "connection").map((name) => adding([name, "x"])),
  fc.constant(adding(["connection", "upgrade"], ["upgrade", "websocket"])),
  fc
    .nat({ max: 20_000 })
    .map((length) => withTarget((target) => `${target}${target.includes("?") ? "&" : "?"}x=${"y".repeat(length)}`)),
  odd.map((value) => withTarget((target) => `${target}/${encoded(value)}`)),
  fc.constantFrom("%zz", "%00", "/", "//", "%2e%2e", "#x", ";a=b").map((tail) => withTarget((target) => target + tail)),
  fc.nat({ max: 100 }).map((share) => withBody((body) => body.subarray(0, (body.length * share) / 100))),
  fc
    .constantFrom("{", "}", "\0", "\ufeff", " ", '{"a":1,"a":2}', "\ud800")
    .map((tail) => withBody((body) => Buffer.concat([body, Buffer.from(tail)]))),
  fc
    .constantFrom(DEEP, LARGE, Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('{"limit":1e400}'))
    .map((body) => withBody(() => body)),
  fc.nat().map((at) => withBody((body) => Buffer.from(body).fill(at & 255, at % body.length, (at % body.length) + 1))),
);

const withBytes =
  (change: (bytes: Buffer) => Buffer): Change<Sent> =>
  (sent) => ({ ...sent, bytes: change(sent.bytes), isWhole: false });
const replacing = (from: RegExp, to: string) =>
  withBytes((bytes) =>
    Buffer.from(
      bytes.toString("latin1").replace(from, () => to),
      "latin1",
    ),
  );

const VERSIONS = ["HTTP/9.9\r\n", "HTTP/1.0\r\n", "HTTP/2.0\r\n", "\r\n", "HTTP/1.1 \r\n"];
const LENGTHS = ["5", "9999999", "-1", "1e3", "0", "0, 0"].map((length) => `content-length: ${length}`);
const CODINGS = ["chunked", "gzip, chunked", "x"].map((coding) => `transfer-encoding: ${coding}`);
const LINES = [
  "x y: z",
  "x\0: y",
  ": y",
  "x: \x01",
  " folded: x",
  `x: ${"y".repeat(20_000)}`,
  "x: y\r\n".repeat(3_000),
];
const STARTS = [
  "",
  "connect a:1 HTTP/1.1",
  "CONNECT a:1 HTTP/1.1",
  "GET http://127.0.0.1/console HTTP/1.1",
  "GET * HTTP/1.1",
];
const CHUNKS = ["5\r\nhello\r\n0\r\n\r\n", "zz\r\n", "5;a=b\r\nhello\r\n", "ffffffffffffffff\r\n", "0\r\nx: y\r\n\r\n"];
const noise = fc.uint8Array({ minLength: 1, maxLength: 200 });

/** Changes after which HTTP cannot read it, or reads several requests. */
export const framing: fc.Arbitrary<Change<Sent>> = fc.oneof(
  fc.constantFrom(...VERSIONS).map((to) => replacing(/HTTP\/1\.1\r\n/, to)),
  fc.constantFrom("\n", "\r", "\r\n \r\n", "\r\n\r\n").map((to) => replacing(/\r\n/, to)),
  fc.constantFrom(...LENGTHS, ...CODINGS).map((to) => replacing(/content-length: \d+/, to)),
  fc.constantFrom(...LINES).map((line) => replacing(/\r\n\r\n/, `\r\n${line}\r\n\r\n`)),
  fc.constantFrom(...STARTS).map((line) => replacing(/^[^\r]*/, line)),
  noise.map((bytes) => withBytes((sent) => Buffer.concat([sent, bytes]))),
  noise.map((bytes) => withBytes((sent) => Buffer.concat([bytes, sent]))),
  fc.integer({ min: 2, max: 5 }).map((times) => withBytes((sent) => Buffer.concat(Array(times).fill(sent)))),
  fc.constantFrom(...CHUNKS).map((chunks) =>
    withBytes((sent) => {
      const head = sent
        .toString("latin1", 0, sent.indexOf("\r\n\r\n"))
        .replace(/content-length: \d+/, CODINGS[0] ?? "");
      return Buffer.from(`${head}\r\n\r\n${chunks}`, "latin1");
    }),
  ),
  fc.constant(withBytes(() => Buffer.from("\x16\x03\x01\x02\x00\x01", "latin1"))),
  fc.nat().map((at) => (sent: Sent) => ({ ...sent, isWhole: false, cutAt: at % sent.bytes.length })),
);
