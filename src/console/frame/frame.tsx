/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Document } from "../document.tsx";
import { wordsOf } from "../form-data.ts";
import { LIVE_PATH } from "../live.ts";
import { saidInWords } from "../parts/said.ts";
import { YouWrote } from "../parts/wrote.tsx";
import { type Failed, useVisit } from "../visit.ts";
import { Keys } from "./keys.tsx";
import { Rail } from "./rail.tsx";
import { Top } from "./top.tsx";

/** What stands around every page of a workspace. */
export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const { workspace, theme, said, failed, lost, href } = useVisit();
  return (
    <Document title={`${title} · ${workspace.name}`} theme={theme} scripts>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <div class="frame" data-live={href(LIVE_PATH)}>
        <Rail />
        <Top />
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
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
