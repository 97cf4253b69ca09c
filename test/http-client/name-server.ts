import { createSocket } from "node:dgram";
import type { TestContext } from "node:test";
import ipaddr from "ipaddr.js";

/** The answer for a name: its addresses by version, a server error, or nothing. */
type Said = { a?: string[]; aaaa?: string[]; silent?: ("A" | "AAAA")[] } | "servfail" | "silence";

const TYPES = { 1: "A", 28: "AAAA" } as const;
const RESPONSE = 0x8180;
const SERVFAIL = 2;
const NXDOMAIN = 3;

/** The first question: its name, its type and where it ends. */
function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1) as keyof typeof TYPES];
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function reply(query: Buffer, end: number, code: number, type: "A" | "AAAA", addresses: string[]): Buffer {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(RESPONSE | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = ipaddr.parse(address).toByteArray();
    // A pointer to the question's name, the type, class IN, 60 s to live and the length.
    return Buffer.from([0xc0, 12, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

/** A name server on loopback. Unknown names do not exist. */
export async function answerNames(t: TestContext, zone: Record<string, Said>) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    asked.push(`${type} ${name}`);
    const said = zone[name];
    if (said === "silence" || (typeof said === "object" && said.silent?.includes(type))) return;
    const code = said === undefined ? NXDOMAIN : said === "servfail" ? SERVFAIL : 0;
    const addresses = typeof said === "object" ? (type === "A" ? said.a : said.aaaa) : undefined;
    socket.send(reply(query, end, code, type, addresses ?? []), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  t.after(() => socket.close());
  /** Questions in order, such as `A hooks.example`. */
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}
