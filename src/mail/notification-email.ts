import type { Sender } from "../lib/mail-server.ts";
import { type Message, messageIdOf } from "./message.ts";

/** An email of the server's own to a member, or to someone invited. */
export type NotificationEmail =
  | { kind: "reset"; url: string; minutes: number }
  | { kind: "no_password"; signInUrl: string; provider: string | undefined }
  | { kind: "invitation"; url: string; workspace: string; days: number };

const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** Plain text, and marked as automatic, so that no program answers it (RFC 3834). */
export function composeNotificationEmail(
  id: string,
  from: Sender,
  to: string,
  at: number,
  notice: NotificationEmail,
): Message {
  const { subject, lines } = wordsOf(notice);
  const messageId = messageIdOf(id, from.address);
  return {
    sendId: id,
    messageId,
    options: {
      messageId,
      date: new Date(at),
      from: { name: from.name, address: from.address },
      to: { name: "", address: to },
      envelope: { from: from.address, to: [to] },
      subject: subject.replace(LINE_BREAKS, " ").slice(0, 200),
      text: `${lines.join("\n\n")}\n`,
      headers: { "Auto-Submitted": "auto-generated" },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  };
}

function wordsOf(notice: NotificationEmail): { subject: string; lines: string[] } {
  switch (notice.kind) {
    case "reset":
      return {
        subject: "A new password for Rostrum",
        lines: [
          "Somebody asked for a new password for this address. Choose one here:",
          notice.url,
          `The link works once, for ${notice.minutes} minutes. With a new password, every session ends.`,
          "If it was not you, leave this message be: your password stays as it is.",
        ],
      };
    case "no_password":
      return {
        subject: "Signing in to Rostrum",
        lines: [
          "Somebody asked for a new password for this address. Its account has none:",
          notice.provider === undefined
            ? "ask your server admin for a link."
            : `choose “Sign in with ${notice.provider}” at ${notice.signInUrl}.`,
        ],
      };
    case "invitation": {
      const workspace = notice.workspace.replace(LINE_BREAKS, " ");
      return {
        subject: `Join ${workspace} on Rostrum`,
        lines: [
          `You are invited to the workspace ${workspace}. Come in here:`,
          notice.url,
          `The link works once, within ${notice.days} days. If you expect no invitation, leave this message be.`,
        ],
      };
    }
  }
}
