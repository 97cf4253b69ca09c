import { type ComponentChildren, Fragment } from "preact";
import { wordsOf } from "../app/form-data.ts";
import { LIVE_PATH } from "../app/live.ts";
import { type Failed, usePageContext } from "../app/page-context.ts";
import { asset } from "../app/respond.ts";
import type { Above, Key } from "../app/screen.ts";
import type { Theme } from "../app/session.ts";
import type { SidebarSection } from "../pages/sections.ts";
import { Icon } from "./basics.tsx";
import { flashMessageText, YouWrote } from "./flash-messages.tsx";
import { Top } from "./top-bar.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

interface Props {
  title: string;
  theme: Theme | undefined;
  /** Pages of a workspace have keys and live parts; those at the entrance need none. */
  scripts?: boolean;
  children: ComponentChildren;
}

/** A refusal is no part of a page: what stands there stays. */
const HTMX = JSON.stringify({ includeIndicatorCSS: false, history: "reload", noSwap: [204, 304, "4xx", "5xx"] });

/** An HTML document, whole: no inline script, no inline style, nothing from elsewhere. */
export function Document({ title, theme, scripts = false, children }: Props) {
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? "light dark"} />
        <title>{title}</title>
        <link rel="icon" href={asset("icon.svg")} />
        <link rel="stylesheet" href={asset("styles.css")} />
        {scripts && <meta name="htmx-config" content={HTMX} />}
        {scripts && <script src={asset("htmx.js")} defer />}
        {scripts && <script src={asset("console.js")} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** The list of keys, which `?` opens; console.js knows them by their data. */
function Keys() {
  const { rooms, keys } = usePageContext();
  const everywhere = [
    { key: "/", does: "Search contacts" },
    { key: "?", does: "This list" },
    { key: "Esc", does: "Close what is open" },
  ];
  const led = rooms.map(({ key, name }) => ({ key: `g ${key}`, does: name }));
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      {keys.length > 0 && <KeyList title="Here" keys={keys} />}
      <div data-page-keys hidden>
        <h3>On this page</h3>
        <dl class="facts" />
      </div>
      <KeyList title="Go to" keys={led} />
      <KeyList title="Everywhere" keys={everywhere} />
      <label class="choice">
        <input type="checkbox" data-keys-switch /> Single keys work in this browser
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly Key[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts">
        {keys.map(({ key, does }) => (
          <Fragment key={key}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

function Sidebar() {
  const { href, rooms, path } = usePageContext();
  const rest = rooms.filter(({ inBar }) => inBar !== true);
  return (
    <nav class="rail" aria-label="Rooms">
      <a class="mark" href={href("/")} aria-label="Rostrum, today">
        <Icon name="rostrum" />
        <span>Rostrum</span>
      </a>
      <ul>
        {rooms.map((room) => (
          <li key={room.path} class={room.inBar === true ? undefined : "beyond"}>
            <RoomLink room={room} />
          </li>
        ))}
      </ul>
      <details class="menu more">
        <summary class={rest.some((room) => isIn(room, path)) ? "current" : undefined}>
          <Icon name="more" />
          <span>More</span>
        </summary>
        <ul>
          {rest.map((room) => (
            <li key={room.path}>
              <RoomLink room={room} />
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function RoomLink({ room }: { room: SidebarSection }) {
  const { href, path, counts } = usePageContext();
  const count = counts[room.path] ?? 0;
  return (
    <a href={href(room.path)} aria-current={isIn(room, path) ? "page" : undefined} data-go={room.key}>
      <Icon name={room.icon} />
      <span>{room.name}</span>
      {room.count !== undefined && (
        <span class="count" data-count={room.path} hidden={count === 0}>
          {count > 99 ? "99+" : count}
        </span>
      )}
    </a>
  );
}

/** Whether a page belongs to a room. */
export function isIn(room: SidebarSection, path: string): boolean {
  return room.path === "/" ? path === "/" || path === "" : path === room.path || path.startsWith(`${room.path}/`);
}

/** @jsxRuntime automatic @jsxImportSource preact */

export interface Framed {
  title: string;
  /** The pages above it, the topmost first. */
  above?: readonly Above[];
  /** The one thing to do on the page. */
  action?: ComponentChildren;
}

/** What stands around every page of a workspace. */
export function Frame({ title, above = [], action, children }: Framed & { children: ComponentChildren }) {
  const { workspace, theme, said, failed, lost, href } = usePageContext();
  return (
    <Document title={`${title} · ${workspace.name}`} theme={theme} scripts>
      <a class="hidden skip" href="#main">
        Skip to the page
      </a>
      <div class="frame" data-live={href(LIVE_PATH)}>
        <Sidebar />
        <Top />
        <main id="main" tabIndex={-1}>
          {above.length > 0 && (
            <p class="up small">
              {above.map(({ name, path }) => (
                <>
                  <a href={href(path)}>{name}</a> /{" "}
                </>
              ))}
            </p>
          )}
          <div class="head">
            <h1>{title}</h1>
            {action}
          </div>
          {lost !== undefined && <Lost {...lost} />}
          {said !== undefined && failed === undefined && lost === undefined && (
            <p class="said" role="status">
              {flashMessageText(said)}
            </p>
          )}
          {children}
        </main>
      </div>
      <Keys />
    </Document>
  );
}

/** What was not done, where the page has the form for it no more, and what was typed into that. */
function Lost({ problem, typed }: Failed) {
  return (
    <div class="notice" role="alert" tabIndex={-1} id="lost-fault">
      <p>
        <strong>Not done.</strong> {problem.message}
      </p>
      <YouWrote words={wordsOf(typed)} />
    </div>
  );
}
