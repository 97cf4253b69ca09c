/** @jsxRuntime automatic @jsxImportSource preact */

import { screen } from "../../app/screen.ts";
import { Chip, Section } from "../../ui/basics.tsx";
import { ServerCommand } from "../../ui/server-command.tsx";
import { type Mail, MailForm, TestMessage } from "./mail-form.tsx";
import { SettingsTabs } from "./tabs.tsx";

/** How this server sends and reads email, for server admins. */
export const emailSettings = screen({
  path: "/settings/email",
  title: "Email",
  needs: "get_mail_settings",
  forms: ["set_mail_settings", "send_test_email"],
  load: async ({ call }) => (await call("get_mail_settings", {})).data,
  view: (mail) => (
    <>
      <SettingsTabs />
      <p class="lead">These settings apply to the whole server and all its workspaces.</p>
      <Connected mail={mail} />
      <Section title="Settings">
        <MailForm mail={mail} />
        <p class="hint">Changing the sender cancels the approvals of every sequence.</p>
      </Section>
      {mail.smtp !== null && (
        <Section title="Test">
          <TestMessage mail={mail} />
          <p class="hint">
            To check the DNS records of the sender, run <ServerCommand words="doctor --mail" />
          </p>
        </Section>
      )}
    </>
  ),
});

function Connected({ mail: { smtp, mailbox } }: { mail: Mail }) {
  return (
    <p class="bar">
      <Chip tone={smtp === null ? "needs" : "done"}>
        {smtp === null ? "No mail server: emails aren't sent" : "Mail server connected"}
      </Chip>
      <Chip tone={mailbox === null ? "needs" : "done"}>
        {mailbox === null ? "No mailbox: replies aren't read" : "Mailbox connected"}
      </Chip>
    </p>
  );
}
