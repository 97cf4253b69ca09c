import { randomUUID } from "node:crypto";
import { composeMessage, type Letter, type Message } from "../../src/mail/message.ts";

export function letter(given: Partial<Letter> = {}): Letter {
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

export function message(given: Partial<Letter> = {}): Message {
  return composeMessage(letter(given));
}
