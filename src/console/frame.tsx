/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Document } from "./document.tsx";
import { ROOMS, type Room } from "./pages/rooms.ts";
import { Confirm } from "./parts/confirm.tsx";
import { TextField } from "./parts/fields.tsx";
import { Form } from "./parts/form.tsx";
import { Icon } from "./parts/icon.tsx";
import { saidInWords } from "./parts/said.ts";
import { useVisit } from "./visit.ts";

/** What stands around every page of a workspace. */
export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const { workspace, theme, said, failed } = useVisit();
  return (
    <Document title={`${title} · ${workspace.name}`} theme={theme} scripts>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <div class="frame">
        <Rail />
        <Top />
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
          {said !== undefined && failed === undefined && (
            <p class="said" role="status">
              {saidInWords(said)}
            </p>
          )}
          {children}
        </main>
      </div>
      <Keys />
    </Document>
  );
}

function Rail() {
  const { href, may, path, waiting } = useVisit();
  return (
    <nav class="rail" aria-label="Rooms">
      <a class="mark" href={href("/")} aria-label="Rostrum, today">
        <Icon name="rostrum" />
        <span>Rostrum</span>
      </a>
      <ul>
        {ROOMS.filter(({ needs }) => may(needs)).map((room) => (
          <li key={room.path}>
            <a href={href(room.path)} aria-current={isIn(room, path) ? "page" : undefined} data-go={room.key}>
              <Icon name={room.icon} />
              <span>{room.name}</span>
              {room.path === "/review" && waiting > 0 && (
                <span class="count">
                  {waiting.toLocaleString("en")}
                  <span class="hidden"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isIn(room: Room, path: string): boolean {
  return room.path === "/" ? path === "/" || path === "" : path === room.path || path.startsWith(`${room.path}/`);
}

function Top() {
  const { href, query, path } = useVisit();
  return (
    <header class="top">
      <Workspaces />
      <form class="search" role="search" action={href("/contacts")} method="get">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          id="search"
          aria-label="Search contacts"
          placeholder="Search contacts"
          value={path === "/contacts" ? (query.get("q") ?? "") : ""}
          maxLength={200}
          autoComplete="off"
          {...(path === "/contacts" ? asTyped(href("/contacts")) : {})}
        />
        <kbd>/</kbd>
      </form>
      <Outreach />
      <Person />
    </header>
  );
}

/** On the page that shows what is found, it is found while somebody types. */
function asTyped(address: string) {
  return {
    "hx-get": address,
    "hx-trigger": "input changed delay:200ms",
    "hx-target": "#results",
    "hx-select": "#results",
    "hx-swap": "outerHTML",
  };
}

function Workspaces() {
  const { memberships, workspace } = useVisit();
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
            <a href={`/console/w/${workspaceId}`} aria-current={workspaceId === workspace.id ? "true" : undefined}>
              {workspaceName}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Pausing is one click from every page; resuming asks. */
function Outreach() {
  const { workspace, may } = useVisit();
  const { paused_at, pause_reason } = workspace.outreach;
  if (paused_at === null) {
    return (
      <div class="outreach running">
        <span class="state">
          <Icon name="running" /> <span>Running</span>
        </span>
        <Form does="pause_outreach" class="inline" label="Pause outreach">
          <button type="submit">Pause outreach</button>
        </Form>
      </div>
    );
  }
  return (
    <div class="outreach paused">
      <span class="state" title={pause_reason ?? undefined}>
        <Icon name="paused" /> <span>Paused</span>
      </span>
      {may("resume_outreach") && (
        <Confirm does="resume_outreach" opens="Resume…" submit="Resume outreach" align="right">
          <p>What became due meanwhile is sent as the sending policy allows.</p>
          {pause_reason !== null && <p class="quiet">Paused because: {pause_reason}</p>}
          <TextField name="reason" kind="optional" label="Why now" hint="For the audit; may be left out." />
        </Confirm>
      )}
    </div>
  );
}

function Person() {
  const { visitor, actor, theme, href, path } = useVisit();
  return (
    <details class="menu person">
      <summary>
        <span class="hidden">You: {visitor.person.name}</span>
        <span class="initials" aria-hidden="true">
          {initialsOf(visitor.person.name)}
        </span>
      </summary>
      <div class="sheet">
        <p>
          <strong>{visitor.person.name}</strong>
          <br />
          <span class="quiet">
            {visitor.person.email} · {actor.role}
          </span>
        </p>
        <ThemeSwitch theme={theme} back={href(path)} />
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

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "").join("");
}

/** The list of keys, which `?` opens; console.js knows them by their data. */
function Keys() {
  const { may } = useVisit();
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl class="facts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search contacts</dd>
        {ROOMS.filter(({ needs }) => may(needs)).map(({ path, key, name }) => (
          <>
            <dt key={path}>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </>
        ))}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This list</dd>
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
