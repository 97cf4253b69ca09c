import { operatorLabel } from "../../core/actor.ts";
import { revealHidden } from "../../domain/text/hidden.ts";

type Named = { first_name: string | null; last_name: string | null; email: string | null };

/** The name of a contact, or else its email address. Hidden characters could make one name look like another. */
export function nameOf({ first_name, last_name, email }: Named): string {
  return revealed([first_name, last_name].filter(Boolean).join(" ") || email || "No name");
}

/** Codes of the API that are not readable as they are. */
const NAMES: Record<string, string> = {
  socialnet_connect: "Connection request",
  socialnet_connection_sent: "Connection asked for",
  socialnet_connected: "Connected on the network",
  socialnet_message: "Message on the network",
  socialnet_message_sent: "Message sent on the network",
  socialnet_message_received: "Message received on the network",
  socialnet_reply: "Answer on the network",
};
const INITIALS = /\b(api|bant|html|id|imap|mcp|sms|smtp|url)\b/g;

/** A code of the API as text: `closed_won` is Closed won, `sms_sent` SMS sent. */
export function codeLabel(code: string): string {
  if (Object.hasOwn(NAMES, code)) return String(NAMES[code]);
  const words = code
    .replaceAll("_", " ")
    .replaceAll(/\bemail\b/g, "e-mail")
    .replaceAll(INITIALS, (initials) => initials.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Records with statuses that mean something else on other records. */
export type StatusOf = "action" | "enrollment" | "delivery" | "assessment";

/** The text of each status. For submissions it matches the buttons that lead to it. */
const STATUSES: Record<string, string> = {
  pending: "Waits for you",
  needs_review: "Waits for you",
  planned: "Waits for you",
  declined: "Denied",
  change_requested: "Sent back",
  changes_requested: "Sent back",
  unknown: "Outcome unknown",
  written: "Not sent, written to a file",
  ok: "Went well",
  partial: "Went in part",
  waiting_on_action: "Waits for an agent",
  stopped_replied: "Replied",
  stopped_suppressed: "Opted out",
  stopped_by_member: "Taken out",
};
const STATUSES_OF: Partial<Record<StatusOf, Record<string, string>>> = {
  action: { needs_review: "Outcome unknown" },
  enrollment: { active: "On the way" },
  delivery: { pending: "On the way" },
  assessment: { unknown: "Unknown" },
};

export function statusLabel(status: string, kind?: StatusOf): string {
  return (kind && STATUSES_OF[kind]?.[status]) ?? STATUSES[status] ?? codeLabel(status);
}

const SOURCES: Record<string, string> = {
  public_api: "An agent, over the API",
  agent: "An agent",
  member: "A member",
  import: "A file that was imported",
  enrichment: "Enrichment",
  engine: "The server",
};

/** Who or what wrote something. */
export function sourceLabel(source: string): string {
  return SOURCES[source] ?? codeLabel(source);
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name for an actor id. Members and keys have GUIDs; on the command line the id is the name of the system's user. */
export function actorLabel(id: string, names: ReadonlyMap<string, string>): string {
  return names.get(id) ?? (GUID.test(id) ? "a former member" : operatorLabel(id));
}

/** More than writers use, and enough to push what follows out of sight of who decides. */
const WIDE_GAP = /[^\S\n]{200,}/g;
const TALL_GAP = /\n(?:[^\S\n]*\n){10,}/g;

/** A text as a person approves it: hidden characters are shown by number, and long gaps by their size. */
export function revealed(text: string): string {
  const closed = text
    .replace(WIDE_GAP, (gap) => `[${gap.length} spaces]`)
    .replace(TALL_GAP, (gap) => `\n[${gap.split("\n").length - 2} empty lines]\n`);
  return revealHidden(closed) ?? closed;
}
