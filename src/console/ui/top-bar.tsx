/** @jsxRuntime automatic @jsxImportSource preact */

import { type PageContext, usePageContext } from "../app/page-context.ts";
import { isInSection } from "../app/sidebar.ts";
import { Fact, Time } from "./basics.tsx";
import { closedSettings } from "./closed-settings.ts";
import { ConnectEmail } from "./delivery.tsx";
import { TextField } from "./fields.tsx";
import { Confirm, Form } from "./form.tsx";
import { counted } from "./format.ts";
import { Icon } from "./icon.tsx";
import { codeLabel } from "./labels.ts";
import { Mark } from "./mark.tsx";
import { SettingsToSend } from "./sending-off.tsx";

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
          <button type="submit" class="pause" title="Pause outreach">
            <Icon name="paused" />
            <span>
              Pause<span class="wide-only"> outreach</span>
            </span>
          </button>
        </Form>
      </div>
      <div class="paused" hidden={!isPaused}>
        <details class="menu back">
          <summary class="state" title={pause_reason ?? undefined}>
            <Icon name="paused" /> <span>Paused</span>
          </summary>
          <SendingSheet isPaused />
        </details>
        {may("resume_outreach") && (
          <Confirm does="resume_outreach" opens="Resume…" submit="Resume outreach" align="right">
            <p>
              Messages that came due during the pause can then be sent. Sequence messages still wait for sending hours,
              and daily limits still apply.
            </p>
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
  const isShut = deployment.outbound_gate === "closed";
  const isPartly = closedSettings(deployment).length > 0 || unsentEmails({ deployment, unsent }).length > 0;
  const [icon, label] = isShut
    ? (["needs", "Sending off"] as const)
    : isPartly
      ? (["needs", "Sending partly off"] as const)
      : (["running", "Running"] as const);
  return (
    <details class={isShut || isPartly ? "menu shut" : "menu back"}>
      <summary class="state">
        <Icon name={icon} /> <span>{label}</span>
      </summary>
      <SendingSheet />
    </details>
  );
}

const BY_SERVER_ADMIN = "Your server admin can turn sending on.";

/** What is sent and what isn't, and who can change each. */
function SendingSheet({ isPaused = false }: { isPaused?: boolean }) {
  const { workspace, may, href } = usePageContext();
  const { deployment, unsent, outreach } = workspace;
  const isShut = deployment.outbound_gate === "closed";
  const emails = unsentEmails({ deployment, unsent });
  const closed = closedSettings(deployment);
  return (
    <div class="sheet sending">
      <dl class="facts">
        <Fact name="Emails">
          {isShut ? <>Off. {BY_SERVER_ADMIN}</> : emails.length === 0 ? "On" : emails.join(" ")}
          {emails.length > 0 && deployment.email === "none" && (
            <>
              {" "}
              {isShut && "No mail server is connected."} <ConnectEmail />
            </>
          )}
        </Fact>
        <Fact name="Professional network">{closed.length > 0 ? <>Off. {BY_SERVER_ADMIN}</> : "On"}</Fact>
        <Fact name="Outreach">
          {isPaused ? (
            <>
              Paused
              {outreach.paused_at !== null && (
                <>
                  {" "}
                  <Time at={outreach.paused_at} />
                </>
              )}
              . {may("resume_outreach") ? "You can resume it." : "A workspace admin can resume it."}
              {may("list_audit") && (
                <>
                  {" "}
                  <a href={href("/audit", { action: "pause_outreach" })}>See who paused it</a>
                </>
              )}
            </>
          ) : (
            <>
              Not paused.{" "}
              {may("pause_outreach")
                ? "Pausing stops all new sending and enrolling until you resume outreach."
                : "A workspace admin can pause it."}
            </>
          )}
        </Fact>
      </dl>
      {closed.length > 0 && (
        <>
          <p>To turn sending on, your server admin restarts the server with these settings:</p>
          <SettingsToSend closed={closed} />
        </>
      )}
    </div>
  );
}

/** What of the due emails does not leave the server. */
function unsentEmails({ deployment, unsent }: Pick<PageContext["workspace"], "deployment" | "unsent">): string[] {
  const { saved_to_files, waiting } = unsent;
  const one = (count: number) => `Emails in ${counted(count, "active sequence")}`;
  return [
    ...(deployment.email === "none" ? ["No mail server is connected, so no emails are sent."] : []),
    ...(saved_to_files > 0
      ? [`${one(saved_to_files)} ${deployment.outbound_gate === "closed" ? "will be" : "are"} saved to files.`]
      : []),
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
