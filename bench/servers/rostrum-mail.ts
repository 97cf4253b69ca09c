import { randomUUID } from "node:crypto";
import { unsubscribeToken, unsubscribeUrl } from "../../src/domain/outreach/unsubscribe-link.ts";
import { createVault } from "../../src/lib/vault.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { composeMessage } from "../../src/mail/message.ts";
import { moment, serve, usage } from "./serve.ts";

/** Composes messages and hands them over, after as many to warm up: rostrum-mail.js <port of the sink> <messages> */

const [port, messages] = process.argv.slice(2).map(Number) as [number, number];
const vault = createVault(Buffer.alloc(32, 1));
const mailer = await createMailer({
  server: { host: "127.0.0.1", port, secure: false, local: true, login: undefined },
  folder: "",
});
const BODY = "Hi Ada,\n\nhow are the engines? We wrote about them: https://acme.example/engines\n\n".repeat(10);

const sendAll = () => Promise.all(Array.from({ length: messages }, (_, index) => send(index)));

async function send(index: number): Promise<void> {
  const sendId = randomUUID();
  const address = `contact-${index}@lovelace.example`;
  const token = unsubscribeToken(vault, { workspaceId: sendId, contactId: sendId, sendId, address });
  const message = composeMessage({
    sendId,
    from: { name: "Acme", address: "sales@acme.example" },
    senderName: "Charles",
    to: { address, name: "Ada Lovelace" },
    subject: "Engines",
    body: BODY,
    at: Date.now(),
    unsubscribe: { url: unsubscribeUrl("https://acme.example", token) },
    earlier: [],
  });
  const { status } = await mailer.send(message);
  if (status !== "accepted") throw new Error(`A message was not accepted: ${status}.`);
}

serve({
  port: 0,
  close: () => mailer.close(0),
  answers: {
    async mails() {
      await sendAll();
      const [before, from] = [usage().cpu, moment()];
      await sendAll();
      return { perSecond: (messages / (moment() - from)) * 1e6, cpuMicros: (usage().cpu - before) / messages };
    },
  },
});
