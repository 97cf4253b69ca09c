/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Document } from "../document.tsx";
import { LIVE_PATH } from "../live.ts";
import { saidInWords } from "../parts/said.ts";
import { useVisit } from "../visit.ts";
import { Keys } from "./keys.tsx";
import { Rail } from "./rail.tsx";
import { Top } from "./top.tsx";

/** What stands around every page of a workspace. */
export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const { workspace, theme, said, failed, href } = useVisit();
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
