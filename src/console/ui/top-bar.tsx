/** @jsxRuntime automatic @jsxImportSource preact */

import { type PageContext, usePageContext } from "../app/page-context.ts";
import { isInSection } from "../app/sidebar.ts";
import { closedSettings } from "./closed-settings.ts";
import { ConnectEmail } from "./delivery.tsx";
import { TextField } from "./fields.tsx";
import { Confirm, Form } from "./form.tsx";
import { counted } from "./format.ts";
import { Icon } from "./icon.tsx";
import { codeLabel } from "./labels.ts";
import { Mark } from "./mark.tsx";
import { ServerCommand } from "./server-command.tsx";

/** Workspace menu, search, outreach switch, and member menu. */
export function TopBar() {
  const { href, query, path } = usePageContext();
  return (
    <header class="top">
      <WorkspaceMenu />
      <form class="search" role="search" action={href("/search")} method="get">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          id="search"
          aria-label="Search"
          placeholder="Search"
          value={path === "/search" ? (query.get("q") ?? "") : ""}
          maxLength={200}
          autoComplete="off"
        />
        <kbd>/</kbd>
      </form>
      <OutreachSwitch />
      <MemberMenu />
    </header>
  );
}

function WorkspaceMenu() {
  const { memberships, workspace, sections, path } = usePageContext();
  // The other workspace has the same sections, but not the same records.
  const section = sections.find((known) => known.path !== "/" && isInSection(known, path))?.path ?? "";
  if (memberships.length < 2) return <span class="workspace">{workspace.name}</span>;
  return (
    <details class="menu workspace">
      <summary>
        {workspace.name}
        <Icon name="down" />
      </summary>
      <ul>
        {memberships.map(({ workspaceId, workspaceName }) => (
          <li key={workspaceId}>
            <a
              href={`/console/w/${workspaceId}${section}`}
              aria-current={workspaceId === workspace.id ? "true" : undefined}
            >
              {workspaceName}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Pausing takes one click, resuming needs a confirmation. Both states are rendered, so that an open page can switch live. */
function OutreachSwitch() {
  const { workspace, may } = usePageContext();
  const { paused_at, pause_reason } = workspace.outreach;
  const isPaused = paused_at !== null;
  return (
    <div class="outreach" role="group" aria-label="Outreach">
      <div class="running" hidden={isPaused}>
        <Running {...workspace} />
        <Form does="pause_outreach" class="inline" label="Pause outreach">
          <button type="submit" class="calm" title="Pause outreach">
            <Icon name="paused" />
            <span>Pause outreach</span>
          </button>
        </Form>
      </div>
      <div class="paused" hidden={!isPaused}>
        <span class="state" title={pause_reason ?? undefined}>
          <Icon name="paused" /> <span>Paused</span>
        </span>
        {may("resume_outreach") && (
          <Confirm does="resume_outreach" opens="Resume…" submit="Resume outreach" align="right">
            <p>Messages that came due during the pause are sent within your sending hours and limits.</p>
            <p class="quiet" hidden={pause_reason === null}>
              Pause reason: <span data-pause-reason>{pause_reason}</span>
            </p>
            <TextField name="reason" kind="optional" label="Reason" hint="Optional. Shown in the audit log." />
          </Confirm>
        )}
      </div>
      <span class="hidden" role="status" data-outreach-status />
    </div>
  );
}

/** The outreach status while it isn't paused. The server admin can still turn sending off. */
function Running({ deployment, unsent }: Pick<PageContext["workspace"], "deployment" | "unsent">) {
  const closed = closedSettings(deployment);
  const isShut = deployment.outbound_gate === "closed";
  const emails = isShut ? [] : unsentEmails({ deployment, unsent });
  if (closed.length === 0 && emails.length === 0) {
    return (
      <span class="state">
        <Icon name="running" /> <span>Running</span>
      </span>
    );
  }
  return (
    <details class="menu shut">
      <summary class="state">
        <Icon name="needs" /> <span>{isShut ? "Sending off" : "Sending partly off"}</span>
      </summary>
      <div class="sheet">
        {emails.length > 0 && (
          <>
            <p>{emails.join(" ")}</p>
            {deployment.email === "none" && (
              <p>
                <ConnectEmail />
              </p>
            )}
          </>
        )}
        {closed.length > 0 && (
          <>
            <p>
              Outreach isn't paused, but sending is turned off on this server. To turn it on, ask your server admin to
              restart the server with these settings:
            </p>
            <ul class="bullets">
              {closed.map(({ purpose, setting }) => (
                <li key={setting}>
                  {purpose} <code>{setting}</code>.
                </li>
              ))}
            </ul>
            <p>
              Example: <ServerCommand words="start" settings={closed.map(({ setting }) => setting)} />
            </p>
          </>
        )}
      </div>
    </details>
  );
}

/** What of the due emails does not leave the server. */
function unsentEmails({ deployment, unsent }: Pick<PageContext["workspace"], "deployment" | "unsent">): string[] {
  const { saved_to_files, waiting } = unsent;
  const one = (count: number) => `Emails in ${counted(count, "active sequence")}`;
  return [
    ...(deployment.email === "none" ? ["This server has no mail server, so no email is sent."] : []),
    ...(saved_to_files > 0 ? [`${one(saved_to_files)} are saved to files.`] : []),
    ...(waiting > 0 ? [`${one(waiting)} wait for a mail server.`] : []),
  ];
}

function MemberMenu() {
  const { session, actor, theme, href, path, query } = usePageContext();
  return (
    <details class="menu person">
      <summary>
        <span class="hidden">Account: {session.person.name}</span>
        <Mark name={session.person.name} />
      </summary>
      <div class="sheet">
        <p>
          <strong>{session.person.name}</strong>
          <br />
          <span class="quiet">
            {session.person.email} · {codeLabel(actor.role)}
          </span>
        </p>
        <ThemeSwitch theme={theme} back={href(path, Object.fromEntries(query))} />
        <button type="button" data-show-keys hidden>
          Keyboard shortcuts
        </button>
        <a href="/console/account">Your account</a>
        <form method="post" action="/console/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </div>
    </details>
  );
}

function ThemeSwitch({ theme, back }: { theme: string | undefined; back: string }) {
  const choices = [
    ["", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ] as const;
  return (
    <form method="post" action="/console/theme" class="choices">
      <input type="hidden" name="back" value={back} />
      {choices.map(([value, name]) => (
        <button key={value} type="submit" name="theme" value={value} aria-pressed={(theme ?? "") === value}>
          {name}
        </button>
      ))}
    </form>
  );
}
