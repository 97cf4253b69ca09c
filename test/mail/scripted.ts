import { createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { MailServer } from "../../src/lib/mail-server.ts";

/**
 * What the server does instead of answering: says this, closes the connection, resets it, stays silent, or never ends.
 */
type Act = string | "cut" | "reset" | "hang" | "trickle";

/** How often a slow server sends another line. */
const TRICKLE_MS = 50;

export interface Script {
  greeting?: Act;
  ehlo?: Act;
  starttls?: Act;
  auth?: Act;
  mail?: Act;
  rcpt?: Act;
  data?: Act;
  /** After this many bytes of the message. */
  midway?: { bytes: number; act: Act };
  /** In answer to the end of the message. */
  end?: Act;
  /** In answer to RSET. */
  rset?: Act;
}

export interface Scripted {
  server: MailServer;
  connections: number;
  /** Messages that were received completely. */
  messages: string[];
  /** Every line outside of messages. */
  lines: string[];
}

/** An SMTP server that fails by script as real ones do. The script can change between messages. */
export async function scriptedSmtp(
  t: TestContext,
  script: Script,
  partial: Partial<MailServer> = {},
): Promise<Scripted> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    scripted.connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    converse(socket, script, scripted);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const local = { host: "127.0.0.1", port, secure: false, local: true, login: undefined };
  const scripted: Scripted = { server: { ...local, ...partial }, connections: 0, messages: [], lines: [] };
  return scripted;
}

function converse(socket: Socket, script: Script, seen: Scripted): void {
  let text = "";
  let inMessage = false;
  let ended = false;
  const act = (what: Act) => {
    if (what === "hang") return void socket.pause();
    if (what === "trickle") {
      const timer = setInterval(() => socket.write("250-wait\r\n"), TRICKLE_MS);
      socket.once("close", () => clearInterval(timer));
      return;
    }
    if (what === "cut" || what === "reset") {
      ended = true;
      if (what === "cut") socket.end();
      else socket.resetAndDestroy();
      return;
    }
    socket.write(`${what}\r\n`);
  };
  act(script.greeting ?? "220 scripted.example ESMTP");
  socket.on("data", (chunk) => {
    if (ended) return;
    text += chunk.toString("latin1");
    for (;;) {
      if (inMessage) {
        const { midway } = script;
        if (midway !== undefined && text.length >= midway.bytes) return act(midway.act);
        const end = text.indexOf("\r\n.\r\n");
        if (end === -1) return;
        seen.messages.push(text.slice(0, end));
        text = text.slice(end + 5);
        inMessage = false;
        act(script.end ?? "250 2.0.0 Ok: queued");
        continue;
      }
      const end = text.indexOf("\r\n");
      if (end === -1) return;
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      seen.lines.push(line);
      const verb = line.split(" ")[0]?.toUpperCase();
      if (verb === "EHLO") act(script.ehlo ?? "250-scripted.example\r\n250-AUTH PLAIN\r\n250 8BITMIME");
      else if (verb === "STARTTLS") act(script.starttls ?? "454 4.7.0 TLS not available");
      else if (verb === "AUTH") act(script.auth ?? "235 2.7.0 Ok");
      else if (verb === "MAIL") act(script.mail ?? "250 2.1.0 Ok");
      else if (verb === "RCPT") act(script.rcpt ?? "250 2.1.5 Ok");
      else if (verb === "RSET") act(script.rset ?? "250 2.0.0 Ok");
      else if (verb === "QUIT") act("221 2.0.0 Bye");
      else if (verb === "DATA") {
        const answer = script.data ?? "354 Go on";
        inMessage = /^[23]/.test(answer);
        act(answer);
      } else act("500 5.5.2 What?");
    }
  });
}
