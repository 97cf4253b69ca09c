/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Document } from "../document.tsx";
import { wordsOf } from "../form-data.ts";
import { LIVE_PATH } from "../live.ts";
import { saidInWords } from "../parts/said.ts";
import { YouWrote } from "../parts/wrote.tsx";
import type { Above } from "../screen.ts";
import { type Failed, useVisit } from "../visit.ts";
import { Keys } from "./keys.tsx";
import { Rail } from "./rail.tsx";
import { Top } from "./top.tsx";

export interface Framed {
  title: string;
  /** The pages above it, the topmost first. */
  above?: readonly Above[];
  /** The one thing to do on the page. */
  action?: ComponentChildren;
}

/** What stands around every page of a workspace. */
export function Frame({ title, above = [], action, children }: Framed & { children: ComponentChildren }) {
  const { workspace, theme, said, failed, lost, href } = useVisit();
  return (
    <Document title={`${title} · ${workspace.name}`} theme={theme} scripts>
      <a class="hidden skip" href="#main">
        Skip to the page
      </a>
      <div class="frame" data-live={href(LIVE_PATH)}>
        <Rail />
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
