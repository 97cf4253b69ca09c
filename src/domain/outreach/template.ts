import type { Contact } from "../contacts/contact.ts";

export const CONTACT_PLACEHOLDERS = ["first_name", "last_name", "company", "job_title"] as const;
export type ContactPlaceholder = (typeof CONTACT_PLACEHOLDERS)[number];

/** What copy can be filled with: fields of the contact, and the name that the workspace sends under. */
export const PLACEHOLDERS = [...CONTACT_PLACEHOLDERS, "sender_name"] as const;

const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set(PLACEHOLDERS);
const isPlaceholder = (name: string): name is (typeof PLACEHOLDERS)[number] => PLACEHOLDER_NAMES.has(name);

/** Whom copy is addressed to, and what it is filled from. */
export interface Recipient extends Pick<Contact, "id" | "email" | "socialnet_url" | ContactPlaceholder> {
  /** The fields of which an agent wrote the value. Their links stay, because a person approves them as they are shown. */
  agentWrote?: readonly string[];
}

const BRACED = /\{\{([^{}]*)\}\}/g;

/** The names of the placeholders in a text, known or not. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(BRACED)].map(([, inner]) => (inner as string).trim());
}

/** Why a text cannot be a template, in words that follow its field's name; undefined where it can. */
export function templateFault(text: string): string | undefined {
  const stranger = namesIn(text).find((name) => !isPlaceholder(name));
  if (stranger !== undefined) {
    const use = PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ");
    return `has an unknown placeholder {{${stranger.slice(0, 40)}}}. Use one of ${use}`;
  }
  // A space in place of each placeholder: single braces around one must not close up to a pair.
  if (text.replace(BRACED, " ").includes("{{")) return "has a {{ without a matching }}. Close it or remove it";
  return undefined;
}

/** What a template is filled with; null where there is nothing. */
export type Fillings = { readonly [Name in (typeof PLACEHOLDERS)[number]]: string | null } & {
  /** The names of the values that an agent wrote. */
  readonly agentWrote?: readonly string[] | undefined;
};

/** What a recipient's copy is filled with. Every surface that shows or sends it asks here. */
export function fillingsOf(recipient: Recipient, senderName: string | null): Fillings {
  const ofContact = Object.fromEntries(CONTACT_PLACEHOLDERS.map((name) => [name, recipient[name]]));
  const values = ofContact as Record<ContactPlaceholder, string | null>;
  return { ...values, sender_name: senderName, agentWrote: recipient.agentWrote };
}

const ADDRESS = /\/\/|mailto:|www\./iu;
/** A number of an IP address: decimal, octal or hexadecimal. */
const PART = String.raw`(?:0x[\da-f]{1,8}|\d{1,4})`;
/**
 * The last label of a host, or the last number of an IP address, that a path, a query or a port follows. A name may end
 * with a dot, and letters of many scripts are written with marks.
 */
const HOST_END = new RegExp(
  String.raw`(?<=[\p{L}\p{M}\d-]\.)(?:\p{L}[\p{L}\p{M}]+|xn--[a-z\d-]+)\.?[/?#:]` +
    String.raw`|(?<=(?<![\p{L}\d.])${PART}\.${PART}\.${PART}\.)${PART}\.?[/?#:]`,
  "iu",
);
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Joiners between letters spell words of many languages. */
const IGNORABLE = /(?<spelling>(?<=[\p{L}\p{M}])[\u200C\u200D](?=\p{L}))|\p{Default_Ignorable_Code_Point}/gu;

/** Without addresses that have a scheme, `www.` or a path: what a reader's program would make a link of. */
function withoutLinks(text: string): string {
  return text.replace(/\S+/g, withoutLink);
}

/** A run without spaces: empty if it has a scheme or `www.`, or else without the host and path at its end. */
function withoutLink(run: string): string {
  if (ADDRESS.test(run)) return "";
  const end = HOST_END.exec(run)?.index;
  if (end === undefined) return run;
  const before = run.slice(0, end - 1);
  const labels =
    before
      .split(/[^\p{L}\p{M}\d.-]/u)
      .at(-1)
      ?.split("..")
      .at(-1)
      ?.replace(/^\./, "") ?? "";
  return before.slice(0, before.length - labels.length);
}

/** A value on one line, without invisible characters. Links stay only where a person approves the value as shown. */
function plainValue(value: string, keepsLinks: boolean): string {
  const seen = value.replace(BREAKS, " ").replace(IGNORABLE, "$<spelling>");
  const plain = keepsLinks ? seen : withoutLinks(seen);
  return plain.replace(/ {2,}/g, " ").trim();
}

function rendered(fillings: Fillings, name: string): string {
  return renderedAs((isPlaceholder(name) ? fillings[name] : null) ?? "", name, fillings.agentWrote);
}

function renderedAs(value: string, name: string, agentWrote: readonly string[] | undefined): string {
  return plainValue(value, agentWrote?.includes(name) ?? false);
}

/** A field of a contact as copy contains it. */
export function renderedValue(recipient: Recipient, field: ContactPlaceholder): string {
  return renderedAs(recipient[field] ?? "", field, recipient.agentWrote);
}

/**
 * A template with its placeholders filled. Values are plain words, and never read as templates themselves.
 *
 * @returns the names of the placeholders that nothing can be put into, where there are any: a person must look
 */
export function fillTemplate(template: string, fillings: Fillings): { text: string } | { unfilled: string[] } {
  const unfilled = new Set<string>();
  const text = template.replace(BRACED, (_, inner: string) => {
    const name = inner.trim();
    const value = rendered(fillings, name);
    if (value === "") unfilled.add(name);
    return value;
  });
  return unfilled.size > 0 ? { unfilled: [...unfilled] } : { text };
}
