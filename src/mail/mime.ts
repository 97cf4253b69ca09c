import type { SendMailOptions } from "nodemailer";
import { encode as encodeBase64, wrap as wrapBase64 } from "nodemailer/lib/base64";
import MailComposer from "nodemailer/lib/mail-composer";
import type MimeNode from "nodemailer/lib/mime-node";
import { encode as encodeQuoted, wrap as wrapQuoted } from "nodemailer/lib/qp";

/** The bytes of a message of texts, to be written to a file. */
export function encodeMessage(options: SendMailOptions): Buffer {
  return bytesOf(new MailComposer(options).compile());
}

/**
 * The bytes of a compiled message of texts, as RFC 5322 and RFC 2046 write it. The library writes a message through a
 * chain of streams. That suits attachments of any size, and costs much more than joining two short texts.
 */
export function bytesOf(message: MimeNode): Buffer {
  const text = textOf(message);
  return Buffer.from((text.endsWith("\n") ? text : `${text}\n`).replaceAll(/\r\n|\r|\n/g, "\r\n"));
}

/** A node with its parts. Building the headers decides how it is encoded and what separates its parts. */
function textOf(node: MimeNode): string {
  const headers = node.buildHeaders();
  const { multipart, boundary, childNodes } = node;
  const parts = multipart ? childNodes.map((child) => `\r\n--${boundary}\r\n${textOf(child)}`) : [];
  const end = multipart ? `\r\n--${boundary}--\r\n` : "";
  return `${headers}\r\n\r\n${contentOf(node)}${parts.join("").replace(/^\r\n/, "")}${end}`;
}

function contentOf(node: MimeNode): string {
  const { content = "" } = node;
  if (typeof content !== "string") throw new Error("Message content must be text.");
  switch (node.getTransferEncoding()) {
    case "quoted-printable":
      return wrapQuoted(encodeQuoted(content));
    case "base64":
      return wrapBase64(encodeBase64(content));
    default:
      return content;
  }
}
