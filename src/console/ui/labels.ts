import { operatorInWords } from "../../core/actor.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import type { DataOf } from "../app/operations.ts";
import type { PageContext } from "../app/page-context.ts";

type Named = { first_name: string | null; last_name: string | null; email: string | null };

/** What to call a contact. */
export function nameOf({ first_name, last_name, email }: Named): string {
  return straight([first_name, last_name].filter(Boolean).join(" ") || email || "No name");
}

/** A name that turns the direction of what stands around it could pass for another: what turns is shown by its number. */
function straight(name: string): string {
  return name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (turn) => revealHidden(turn) ?? turn);
}

/** What the API calls by the network's name, people call by what it is. */
const CALLED: Record<string, string> = {
  socialnet_connect: "Connection request",
  socialnet_connection_sent: "Connection asked for",
  socialnet_connected: "Connected on the network",
  socialnet_message: "Message on the network",
  socialnet_message_sent: "Message sent on the network",
  socialnet_message_received: "Message received on the network",
  socialnet_reply: "Answer on the network",
};
const INITIALS = /\b(api|bant|html|id|imap|mcp|sms|smtp|url)\b/g;

/** A word of the API for people to read: `closed_won` is Closed won, `sms_sent` SMS sent. */
export function inWords(code: string): string {
  if (Object.hasOwn(CALLED, code)) return String(CALLED[code]);
  const words = code
    .replaceAll("_", " ")
    .replaceAll(/\bemail\b/g, "e-mail")
    .replaceAll(INITIALS, (initials) => initials.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What has statuses that mean something else elsewhere. */
export type StatusOf = "action" | "enrollment" | "delivery" | "assessment";

/** One word for one state. Of what was handed in they are those of the buttons that lead to them. */
const STATUSES: Record<string, string> = {
  ...{ pending: "Waits for you", needs_review: "Waits for you", planned: "Waits for you" },
  ...{ declined: "Denied", change_requested: "Sent back", changes_requested: "Sent back" },
  ...{ unknown: "Outcome unknown", written: "Not sent, written to a file", ok: "Went well", partial: "Went in part" },
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

export function statusInWords(status: string, kind?: StatusOf): string {
  return (kind && STATUSES_OF[kind]?.[status]) ?? STATUSES[status] ?? inWords(status);
}

const DOORS: Record<string, string> = {
  public_api: "An agent, over the API",
  agent: "An agent",
  member: "A member",
  import: "A file that was imported",
  enrichment: "Enrichment",
  engine: "The server",
};

/** By which door something was written. */
export function doorInWords(source: string): string {
  return DOORS[source] ?? inWords(source);
}

export type Contact = DataOf<"get_contact">;

/** The contacts of these ids; those that are archived by now are missing. */
export async function contactsOf({ call }: PageContext, ids: readonly string[]): Promise<Map<string, Contact>> {
  const found = await Promise.all(
    [...new Set(ids)].map((id) =>
      call("get_contact", { id }).then(
        ({ data }) => data,
        () => undefined,
      ),
    ),
  );
  return new Map(found.flatMap((contact) => (contact === undefined ? [] : [[contact.id, contact]])));
}

/** Who did something, by name: members, and keys for whoever may list them. */
export async function membersOf({ call, may }: PageContext): Promise<Map<string, string>> {
  const [members, keys] = await Promise.all([
    call("list_members", { limit: 100 }),
    may("list_keys") ? call("list_keys", { limit: 100 }) : undefined,
  ]);
  return new Map([...(keys?.data ?? []), ...members.data].map(({ id, name }) => [id, name]));
}

/** Of a record that keeps ids alone. Members and keys have guids; whoever works on the command line has a user's name. */
export function whoInWords(id: string, names: ReadonlyMap<string, string>): string {
  return names.get(id) ?? (GUID.test(id) ? "a former member" : operatorInWords(id));
}
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function pageOf({ query }: PageContext, limit = 25): { limit: number; offset: number } {
  const offset = Number(query.get("offset") ?? 0);
  return { limit, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 };
}
