import { domainOf } from "./sender.ts";

const LOCAL = /^<?rostrum\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@[^@<>\s]+>?$/;

/**
 * The Message-ID of a send: the same however often the send is tried, so that a reader's program shows what arrived
 * twice once, and so that answers and reports name the send.
 */
export function messageIdOf(sendId: string, from: string): string {
  return `<rostrum.${sendId}@${domainOf(from)}>`;
}

/** The send that a Message-ID of ours names, whatever the domain: MAIL_FROM may have been another one by then. */
export function sendIdOf(messageId: string): string | undefined {
  return LOCAL.exec(messageId.trim())?.[1];
}

/** Every Message-ID in a header or a text, in its order, each once. */
export function messageIdsIn(text: string, most = 100): string[] {
  const found = new Set<string>();
  for (const [id] of text.matchAll(/<[^<>@\s]{1,250}@[^<>@\s]{1,250}>/g)) {
    if (found.add(id).size >= most) break;
  }
  return [...found];
}
