/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, Facts, Time } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";

export type Mail = DataOf<"get_mail_settings">;
type Server = NonNullable<Mail["smtp"]>;

const SECURITY = [
  { value: "tls", label: "TLS" },
  { value: "starttls", label: "STARTTLS" },
];

/** What the environment sets can be read here, and changed only there. */
function isHere<T extends { source: string }>(setting: T | null): boolean {
  return setting?.source !== "environment";
}

/** The settings of the server's email. */
export function MailForm({ mail, then }: { mail: Mail; then?: string }) {
  const { failed } = usePageContext();
  const { smtp, mailbox, from } = mail;
  const fixed = [
    ...(isHere(smtp) ? [] : [["Mail server", addressOf(smtp), "SMTP_URL"] as const]),
    ...(isHere(from) ? [] : [["Sender", senderText(from), "MAIL_FROM"] as const]),
    ...(isHere(mailbox) ? [] : [["Mailbox", addressOf(mailbox), "IMAP_URL"] as const]),
  ];
  const isEditable = fixed.length < 3;
  const opensMailbox = mailbox !== null || failed?.problem.faults.some((fault) => fault.startsWith("mailbox"));
  return (
    <>
      {fixed.length > 0 && (
        <>
          <Facts
            facts={fixed.map(([name, value, variable]) => [
              name,
              <>
                {value}{" "}
                <span class="quiet">
                  set by <code>{variable}</code>
                </span>
              </>,
            ])}
          />
          <p class="hint">To change these settings, edit the server's environment and restart the server.</p>
        </>
      )}
      {isEditable && (
        <Form does="set_mail_settings" class="card" label="Email settings" {...(then !== undefined && { then })}>
          {isHere(from) && (
            <div class="pair">
              <TextField
                name="from.address"
                type="email"
                label="Sender address"
                hint="Emails come from this address, and replies go to it."
                value={from?.address}
                required
              />
              <TextField
                name="from.name"
                label="Sender name"
                hint="Optional. Shown as the sender of invitations and password resets, and of other emails if the workspace has no sender name."
                value={from?.name}
              />
            </div>
          )}
          {isHere(smtp) && (
            <ServerFields name="smtp" what="Mail server (SMTP)" server={smtp} port="465 for TLS, 587 for STARTTLS" />
          )}
          {isHere(mailbox) && (
            <details class="more" open={opensMailbox}>
              <summary>Read replies and bounces (IMAP)</summary>
              <ServerFields
                name="mailbox"
                what="Mailbox (IMAP)"
                server={mailbox}
                port="993 for TLS, 143 for STARTTLS"
              />
            </details>
          )}
          <button type="submit" class="primary">
            Save email settings
          </button>
        </Form>
      )}
    </>
  );
}

interface ServerProps {
  name: "smtp" | "mailbox";
  what: string;
  server: Server | null;
  port: string;
}

function ServerFields({ name, what, server, port }: ServerProps) {
  return (
    <>
      <div class="pair">
        <TextField
          name={`${name}.host`}
          label={what}
          hint="Host name, such as mail.example.com. Leave blank for none."
          value={server?.host}
        />
        <Select name={`${name}.security`} label="Encryption" choices={SECURITY} value={server?.security ?? "tls"} />
        <TextField
          name={`${name}.port`}
          kind="number"
          type="number"
          label="Port"
          hint={`Leave blank for the default: ${port}.`}
          value={server?.port}
        />
      </div>
      <div class="pair">
        <TextField
          name={`${name}.username`}
          kind="nullable"
          label="Username"
          hint="Leave blank if the server needs no sign-in."
          value={server?.username}
          autoComplete="off"
        />
        <TextField
          name={`${name}.password`}
          kind="optional"
          type="password"
          label="Password"
          hint={
            server?.has_password
              ? "Stored. Leave blank to keep it. Enter it again if you change the server, the port or the username."
              : "Stored encrypted, and never shown."
          }
          autoComplete="new-password"
        />
      </div>
    </>
  );
}

/** Sends a test message, and shows how the last one ended. */
export function TestMessage({ mail, then }: { mail: Mail; then?: string }) {
  const { session } = usePageContext();
  if (mail.smtp === null) return null;
  const { last_test: last } = mail;
  return (
    <>
      <TestResult last={last} />
      <Form does="send_test_email" class="inline" label="Test message" {...(then !== undefined && { then })}>
        <TextField name="to" kind="optional" type="email" label="Recipient" value={session.person.email} />
        <button type="submit" class={last?.status === "accepted" ? undefined : "primary"}>
          Send test message
        </button>
      </Form>
    </>
  );
}

function TestResult({ last }: { last: Mail["last_test"] }) {
  if (last === null) return <p>No test message has been sent with these settings.</p>;
  const accepted = last.status === "accepted";
  return (
    <div>
      <p>
        <Chip tone={accepted ? "done" : "stopped"}>{accepted ? "Sent" : "Failed"}</Chip> to {last.to},{" "}
        <Time at={last.at} />
      </p>
      <p class="hint">
        {accepted ? "Mail server's reply" : "What went wrong"}: {last.detail}
      </p>
    </div>
  );
}

function addressOf(server: Server | null): string {
  return server === null ? "" : `${server.host}:${server.port}`;
}

function senderText(from: Mail["from"]): string {
  if (from === null) return "";
  return from.name === "" ? from.address : `${from.name} <${from.address}>`;
}
