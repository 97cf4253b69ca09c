import type { Attachment, Email } from "postal-mime";
import { messageIdsIn } from "./message-id.ts";

/** Fields of a header or of a part of a report, by their names in lower case; of several the first. */
export type Fields = ReadonlyMap<string, string>;

const MAX_PART = 64 * 1024;
const RETURNED = [
  "text/rfc822-headers",
  "message/rfc822",
  "message/rfc822-headers",
  "message/global",
  "message/global-headers",
];

function textOf({ content }: Attachment): string {
  return typeof content === "string" ? content : Buffer.from(content as ArrayBuffer).toString("utf8", 0, MAX_PART);
}

/** `multipart/report`'s report-type, in lower case; undefined for any other message. */
export function reportType(email: Email): string | undefined {
  const type = header(email, "content-type") ?? "";
  if (!/^\s*multipart\/report\b/i.test(type)) return undefined;
  return (/report-type="?([\w-]+)/i.exec(type)?.[1] ?? "").toLowerCase();
}

export function header({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** The text of the first part of one of these types. */
export function partOf(email: Email, ...types: string[]): string | undefined {
  const part = email.attachments.find(({ mimeType }) => types.includes(mimeType));
  return part && textOf(part);
}

/** Reads blocks of fields, which empty lines divide. */
export function fieldBlocks(text: string): Fields[] {
  return text
    .replaceAll("\r\n", "\n")
    .split(/\n\s*\n/)
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.replaceAll(/\n[ \t]+/g, " ").split("\n")) {
        const [, name, value] = /^([\w-]+)[ \t]*:(.*)$/.exec(line) ?? [];
        if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value?.trim() ?? "");
      }
      return fields;
    })
    .filter((fields) => fields.size > 0);
}

/** The Message-ID of the message that a report gives back, whole or by its header. */
export function returnedIds(email: Email): string[] {
  const [fields] = fieldBlocks(partOf(email, ...RETURNED) ?? "");
  return messageIdsIn(fields?.get("message-id") ?? "");
}
