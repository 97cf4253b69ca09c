/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { JOBS } from "../../../core/server-probe.ts";
import { SPARE_BYTES } from "../../../lib/disk-use.ts";
import { SECOND_MS } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import type { WorkspaceStatus } from "../../app/sidebar.ts";
import { Chip, Facts, Section, Table, Time, type Tone } from "../../ui/basics.tsx";
import { closedSettings } from "../../ui/closed-settings.ts";
import { Form } from "../../ui/form.tsx";
import { amount, byteSize, counted, relatively } from "../../ui/format.ts";
import { SettingsToSend } from "../../ui/sending-off.tsx";
import { ServerCommand } from "../../ui/server-command.tsx";
import { SettingsTabs } from "./tabs.tsx";

type Server = DataOf<"get_server">;
type Process = NonNullable<Server["process"]>;
type Job = Process["jobs"][number];
type Mail = NonNullable<Process["mail"]>;

/** The state of the server, for its admins. */
export const serverStatus = screen({
  path: "/settings/server",
  title: "Server",
  needs: "get_server",
  forms: ["back_up_server"],
  load: async ({ call }) => (await call("get_server", {})).data,
  view: (server, { workspace }) => (
    <>
      <SettingsTabs />
      <div class="pair">
        <Section title="Software">
          <Facts
            facts={[
              ["Version", server.version],
              ["Started", server.process && <Time at={server.process.started_at} />],
              ["Database", `${ENGINES[server.engine.name]} ${server.engine.version}`],
              ["Servers on this database", amount(server.servers)],
              ["Node.js", server.node],
              ["Memory in use", server.process && byteSize(server.process.memory_bytes)],
            ]}
          />
        </Section>
        <Section title="Storage">
          <Storage server={server} />
        </Section>
      </div>
      <Section title="Sending" id="sending">
        <SendingSettings deployment={workspace.deployment} />
      </Section>
      <Section title="Queues">
        <Queues queues={server.queues} />
      </Section>
      {server.process?.mail && <MailStatus mail={server.process.mail} />}
      <div data-refresh="backup">
        <Backup server={server} />
      </div>
      {server.process && <Jobs jobs={server.process.jobs} />}
    </>
  ),
});

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** What the server may send, and the settings that change that. */
function SendingSettings({ deployment }: Pick<WorkspaceStatus, "deployment">) {
  const closed = closedSettings(deployment);
  const isOpen = deployment.outbound_gate === "open";
  const state = (isOn: boolean) => (isOn ? <Mark tone="done" text="On" /> : <Mark tone="needs" text="Off" />);
  return (
    <div class="stack">
      <Facts
        facts={[
          [
            "Emails and sequences",
            isOpen && deployment.email === "none" ? (
              <Mark tone="needs" text="On, but no mail server is connected" />
            ) : (
              state(isOpen)
            ),
          ],
          ["Social actions", state(isOpen && deployment.socialnet_execution === "on")],
        ]}
      />
      {closed.length > 0 && (
        <>
          <p>To turn on sending, restart the server with these settings:</p>
          <SettingsToSend closed={closed} />
        </>
      )}
    </div>
  );
}

interface Marked {
  tone: Tone;
  text: string;
}

const SMTP: Record<Mail["smtp"], Marked> = {
  not_configured: { tone: "needs", text: "Not set. Emails aren't sent" },
  ready: { tone: "done", text: "Set" },
  backing_off: { tone: "stopped", text: "Rejects emails or can't be reached. Rostrum keeps retrying" },
};

const MAILBOX: Record<Mail["mailbox"], Marked> = {
  not_configured: { tone: "needs", text: "Not set. Replies and bounces aren't read" },
  read: { tone: "done", text: "Set" },
  unreadable: { tone: "stopped", text: "Can't be read. Rostrum keeps retrying" },
};

function Mark({ tone, text }: Marked) {
  return <Chip tone={tone}>{text}</Chip>;
}

function MailStatus({ mail }: { mail: Mail }) {
  return (
    <Section title="Mail">
      <div class="stack">
        <Facts
          facts={[
            ["Mail server", <Mark {...SMTP[mail.smtp]} />],
            ["Mailbox", <Mark {...MAILBOX[mail.mailbox]} />],
          ]}
        />
        <p class="hint">
          To check the mail server, the mailbox and the DNS records of the sender, run{" "}
          <ServerCommand words="doctor --mail" />
        </p>
      </div>
    </Section>
  );
}

function Storage({ server: { storage, engine } }: { server: Server }) {
  const { database_bytes, wal_bytes, free_bytes } = storage;
  const facts: [string, ComponentChildren][] = [["Database", sizeOf(database_bytes)]];
  if (engine.name === "sqlite") {
    // A backup and an upgrade need room for a copy.
    const needed = (database_bytes ?? 0) + (wal_bytes ?? 0) + SPARE_BYTES;
    const free = free_bytes ?? Number.POSITIVE_INFINITY;
    const shown = sizeOf(free_bytes);
    facts.push(["Write-ahead log", sizeOf(wal_bytes)]);
    facts.push([
      "Free disk space",
      free < needed ? (
        <Mark tone="stopped" text={`${shown}, too little for a backup`} />
      ) : free < 2 * (database_bytes ?? 0) ? (
        <Mark tone="needs" text={`${shown}, low`} />
      ) : (
        shown
      ),
    ]);
  }
  return <Facts facts={facts} />;
}

const sizeOf = (bytes: number | null) => (bytes === null ? "Unknown" : byteSize(bytes));

function Queues({ queues }: { queues: Server["queues"] }) {
  const { now, workspace } = usePageContext();
  const { undelivered, steps_due, unconfirmed_emails, reviews, oldest_review_seconds, writer } = queues;
  const oldest = queues.oldest_delivery_seconds;
  // "5 minutes ago".
  const age = (seconds: number) => relatively(now - seconds * SECOND_MS, now, workspace.time_zone);
  const warn = (count: number, one: string, many: string) =>
    count === 0 ? "None" : <Mark tone="needs" text={counted(count, one, many)} />;
  return (
    <Facts
      facts={[
        ["Oldest pending webhook delivery", oldest === 0 ? "None" : age(oldest)],
        ["Failed webhook deliveries", warn(undelivered, "delivery", "deliveries")],
        [
          "Proposals to review",
          reviews === 0 ? "None" : `${amount(reviews)}, the oldest from ${age(oldest_review_seconds)}`,
        ],
        ["Sequence steps due", amount(steps_due)],
        ["Unconfirmed emails", warn(unconfirmed_emails, "email", "emails")],
        ["Queued database writes", amount(writer)],
      ]}
    />
  );
}

function Backup({ server: { last_backup: last, process, engine } }: { server: Server }) {
  if (engine.name === "postgres") {
    return (
      <Section title="Backup">
        <p>Back up PostgreSQL with pg_dump or point-in-time recovery. Rostrum doesn't back it up.</p>
      </Section>
    );
  }
  const running = process?.backup.started_at ?? null;
  return (
    <Section title="Backup">
      <div class="stack">
        <Facts
          facts={[
            ["Last successful backup", last === null ? <Mark tone="needs" text="None" /> : <Time at={last.at} />],
            ...(last === null
              ? []
              : ([
                  ["File", <code>{last.file}</code>],
                  ["Size", byteSize(last.bytes)],
                ] as const)),
          ]}
        />
        {process?.backup.failed != null && (
          <p class="fault" role="alert">
            The latest backup failed. {process.backup.failed}
          </p>
        )}
        {running === null ? (
          <Form does="back_up_server" label="Backup">
            <button type="submit">Back up now</button>
          </Form>
        ) : (
          <p role="status">
            Backup in progress, started <Time at={running} />. Reload the page to see the result.
          </p>
        )}
        <p class="hint">
          Backups made here are saved to the <code>backups</code> folder of the data folder. Only the newest 7 are kept.
          Copy them to another machine, and keep a copy of <code>data.key</code> elsewhere. To back up to a folder of
          your choice on a schedule, run this command with cron: <ServerCommand words="backup FOLDER --keep 7" />
        </p>
      </div>
    </Section>
  );
}

const JOB_STATES: Record<Job["status"], Marked> = {
  ok: { tone: "done", text: "OK" },
  starting: { tone: "plain", text: "Not run yet" },
  failing: { tone: "stopped", text: "Failing" },
  late: { tone: "stopped", text: "Late" },
};

function Jobs({ jobs }: { jobs: Job[] }) {
  return (
    <Section title="Background jobs">
      <Table
        caption="Background jobs of this server"
        rows={jobs}
        keyOf={({ name }) => name}
        columns={[
          { name: "Job", cell: ({ name }) => <code>{name}</code> },
          { name: "Purpose", grow: "wrap", cell: ({ name }) => JOBS[name] },
          { name: "Status", phone: "end", cell: ({ status }) => <Mark {...JOB_STATES[status]} /> },
          { name: "Last success", phone: "named", cell: ({ last_success_at }) => <Time at={last_success_at} /> },
        ]}
      />
    </Section>
  );
}
