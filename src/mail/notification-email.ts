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
        subject: "Reset your Rostrum password",
        lines: [
          "We received a request to reset your password. Set a new one here:",
          notice.url,
          `This link works once and expires in ${notice.minutes} minutes. A new password signs you out everywhere.`,
          "If you did not request this, ignore this email. Your password stays the same.",
        ],
      };
    case "no_password":
      return {
        subject: "How to sign in to Rostrum",
        lines: [
          "We received a request to reset your password, but your account has no password.",
          notice.provider === undefined
            ? "Ask your server admin for a sign-in link."
            : `Choose “Sign in with ${notice.provider}” at ${notice.signInUrl}.`,
        ],
      };
    case "invitation": {
      const workspace = notice.workspace.replace(LINE_BREAKS, " ");
      return {
        subject: `Join ${workspace} on Rostrum`,
        lines: [
          `You are invited to the workspace ${workspace}. Set up your account here:`,
          notice.url,
          `This link works once and expires in ${notice.days} days. If you did not expect this invitation, ignore this email.`,
        ],
      };
    }
  }
}
