import { randomUUID } from "node:crypto";
import { composeMessage, type Message, type SequenceEmail } from "../../src/mail/message.ts";

export function sequenceEmail(given: Partial<SequenceEmail> = {}): SequenceEmail {
  return {
    sendId: randomUUID(),
    from: { name: "Acme", address: "sales@acme.example" },
    senderName: null,
    to: { address: "ada@lovelace.example", name: "Ada Lovelace" },
    subject: "Engines",
    body: "Hi Ada,\n\nhow are the engines?",
    at: Date.UTC(2026, 10, 20, 9),
    unsubscribe: { url: "https://acme.example/unsubscribe/v1.abc" },
    earlier: [],
    ...given,
  };
}

export function message(given: Partial<SequenceEmail> = {}): Message {
  return composeMessage(sequenceEmail(given));
}
