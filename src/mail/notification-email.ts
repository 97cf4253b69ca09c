import type { Sender } from "../lib/mail-server.ts";
import { type Message, messageIdOf } from "./message.ts";

/** An email from the server to a member or to an invited person. */
export type NotificationEmail =
  | { kind: "reset"; url: string; minutes: number }
  | { kind: "no_password"; signInUrl: string; provider: string | undefined }
  | { kind: "test"; url: string }
  | { kind: "invitation"; url: string; workspace: string; days: number };

const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** Plain text, marked as automatic so that no program replies to it (RFC 3834). */
export function composeNotificationEmail(
  id: string,
  from: Sender,
  to: string,
  at: number,
  notice: NotificationEmail,
): Message {
  const { subject, lines } = textOf(notice);
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

function textOf(notice: NotificationEmail): { subject: string; lines: string[] } {
  switch (notice.kind) {
    case "reset":
      return {
        subject: "Reset your Rostrum password",
        lines: [
          "Use this link to reset your password:",
          notice.url,
          `The link works once and expires in ${notice.minutes} minutes. A new password signs you out on all other devices.`,
          "If you didn't request this, ignore this email. Your password won't change.",
        ],
      };
    case "no_password":
      return {
        subject: "Sign in to Rostrum",
        lines: [
          "Someone requested a password reset for this address.",
          "This account has no password, so there is nothing to reset.",
          notice.provider === undefined
            ? "Ask your server admin for a link to set a password."
            : `To sign in, open ${notice.signInUrl} and select “Sign in with ${notice.provider}”.`,
        ],
      };
    case "test":
      return {
        subject: "Test message from Rostrum",
        lines: ["Your Rostrum server can send email.", `Open the console: ${notice.url}`],
      };
    case "invitation": {
      const workspace = notice.workspace.replace(LINE_BREAKS, " ");
      return {
        subject: `Join ${workspace} on Rostrum`,
        lines: [
          `You're invited to join the workspace ${workspace}. Accept the invitation:`,
          notice.url,
          `The link works once and expires in ${notice.days} days. If you didn't expect this, ignore this email.`,
        ],
      };
    }
  }
}
