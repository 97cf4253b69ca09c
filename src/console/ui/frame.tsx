/** @jsxRuntime automatic @jsxImportSource preact */

import { type ComponentChildren, Fragment } from "preact";
import { typedTexts } from "../app/form-data.ts";
import { LIVE_PATH } from "../app/live.ts";
import { type FailedForm, usePageContext } from "../app/page-context.ts";
import { asset } from "../app/respond.ts";
import type { Breadcrumb, HeadingAttributes } from "../app/screen.ts";
import type { Theme } from "../app/session.ts";
import { isInSection, type SidebarSection } from "../app/sidebar.ts";
import { flashMessageText } from "./flash-messages.ts";
import { refusalText } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { Palette } from "./palette.tsx";
import { TypedTexts } from "./refusal.tsx";
import { TopBar } from "./top-bar.tsx";

export interface FrameProps {
  title: string;
  /** The pages above it, the topmost first. */
  breadcrumbs?: readonly Breadcrumb[];
  heading?: HeadingAttributes | undefined;
  mark?: ComponentChildren;
  status?: ComponentChildren;
  /** The main action of the page. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of every page of a workspace. */
export function Frame({ title, breadcrumbs = [], heading, mark, status, action, children }: FrameProps) {
  const { may, workspace, theme, flash, failed, failedElsewhere, href } = usePageContext();
  return (
    <Document title={`${title} · ${workspace.name}`} theme={theme} scripts>
      <a class="hidden skip" href="#main">
        Skip to content
      </a>
      <div class="frame" data-live={href(LIVE_PATH)}>
        <Sidebar />
        <TopBar />
        <main id="main" tabIndex={-1}>
          {breadcrumbs.length > 0 && (
            <nav class="up small" aria-label="Breadcrumbs">
              <ol>
                {breadcrumbs.map(({ name, path, query }) => (
                  <li key={path}>
                    <a href={href(path, query)}>{name}</a>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <div class="head">
            <div class="title">
              {mark}
              <h1 {...heading}>{title}</h1>
              {status}
            </div>
            {action}
          </div>
          {failedElsewhere !== undefined && <NotDone {...failedElsewhere} />}
          {flash !== undefined && failed === undefined && failedElsewhere === undefined && (
            <p class="flash" role="status">
              {flashMessageText(flash)}
            </p>
          )}
          {children}
        </main>
      </div>
      <Shortcuts />
      {may("find_records") && <Palette />}
    </Document>
  );
}

/** The error of a form that the page no longer shows, with the texts that the member typed. */
function NotDone({ problem, typed }: FailedForm) {
  return (
    <div class="notice" role="alert" tabIndex={-1} id="lost-fault">
      <p>
        <strong>Not saved.</strong> {refusalText(problem)}
      </p>
      <TypedTexts texts={typedTexts(typed)} />
    </div>
  );
}

function Sidebar() {
  const { href, sections, path } = usePageContext();
  const behindMore = sections.filter(({ inBar }) => inBar !== true);
  return (
    <nav class="sidebar" aria-label="Sections">
      <a class="mark" href={href("/")} aria-label="Rostrum home">
        <Icon name="rostrum" />
        <span>Rostrum</span>
      </a>
      <ul>
        {sections.map((section) => (
          <li key={section.path} class={section.inBar === true ? undefined : "beyond"}>
            <SectionLink section={section} />
          </li>
        ))}
      </ul>
      <details class="menu more">
        <summary class={behindMore.some((section) => isInSection(section, path)) ? "current" : undefined}>
          <Icon name="more" />
          <span>More</span>
        </summary>
        <ul>
          {behindMore.map((section) => (
            <li key={section.path}>
              <SectionLink section={section} />
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function SectionLink({ section }: { section: SidebarSection }) {
  const { href, path, workspace, actor } = usePageContext();
  const count = section.count?.(workspace, actor.id) ?? 0;
  return (
    <a href={href(section.path)} aria-current={isInSection(section, path) ? "page" : undefined} data-go={section.key}>
      <Icon name={section.icon} />
      <span>{section.name}</span>
      {section.count !== undefined && (
        <span class="count" data-count={section.path} hidden={count === 0}>
          {count > 99 ? "99+" : count}
        </span>
      )}
    </a>
  );
}

/** The list of shortcuts, which `?` opens. console.js finds them by their data attributes. */
function Shortcuts() {
  const { sections } = usePageContext();
  const everywhere = [
    { key: "/", does: "Search" },
    { key: "Ctrl K", does: "Search, also ⌘K" },
    { key: "Ctrl Enter", does: "Submit the form you're typing in, also ⌘Enter" },
    { key: "?", does: "Show keyboard shortcuts" },
    { key: "Esc", does: "Close menu or dialog" },
  ];
  const sectionKeys = sections.map(({ key, name }) => ({ key: `g ${key}`, does: name }));
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <div data-page-keys hidden>
        <h3>On this page</h3>
        <dl class="facts" />
      </div>
      <KeyList title="Go to" keys={sectionKeys} />
      <KeyList title="Everywhere" keys={everywhere} />
      <label class="choice">
        <input type="checkbox" data-keys-switch /> Enable single-key shortcuts in this browser
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly { key: string; does: string }[] }) {
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

interface DocumentProps {
  title: string;
  theme: Theme | undefined;
  /** Pages of a workspace have shortcuts and live updates. Sign-in pages need no script. */
  scripts?: boolean;
  children: ComponentChildren;
}

/** htmx does not change the page when the server refuses. */
const HTMX = JSON.stringify({ includeIndicatorCSS: false, history: "reload", noSwap: [204, 304, "4xx", "5xx"] });

/** A whole HTML document, without inline scripts, inline styles, or anything from another server. */
export function Document({ title, theme, scripts = false, children }: DocumentProps) {
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
