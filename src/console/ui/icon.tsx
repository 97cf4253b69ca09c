/** @jsxRuntime automatic @jsxImportSource preact */

import { render } from "preact-render-to-string";
import { htmlNode } from "./rendered.tsx";

/** Drawn on a grid of 16, in strokes of the text's own color. */
const PATHS = {
  rostrum: "M3 13h10M4.5 13V6.5h7V13M2.5 6.5h11M8 6.5V2.5M6 2.5h4",
  today: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3.5M10.5 2v3.5",
  inbox: "M2.500 9l2-6h7l2 6v4.500h-11zM2.500 9h3.500l.7 1.500h2.600l.7-1.500h3.500",
  review: "M2.500 3h11v8h-6l-3 2.500V11h-2zM5.500 7l1.800 1.800L11 5",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  contacts: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.6-2.400 2.600-3.500 5-3.500s4.400 1.100 5 3.500",
  accounts: "M3 13.500v-11h6v11M9 6.500h4v7M2 13.500h12M5 5h2M5 7.500h2M5 10h2",
  deals: "M2.500 3v10.500h3V3zM6.700 3v7h3V3zM10.900 3v4.500h3V3z",
  sequences: "M3 4h10M3 8h10M3 12h6M11 10.500l2.500 1.500L11 13.500z",
  checklist: "M2.5 4l1.200 1.200L6 3M2.500 10.500l1.200 1.200L6 9.500M8.500 4.500h5M8.500 11h5",
  agents: "M3.500 6h9v7h-9zM8 6V3M8 3h.01M6 9v1M10 9v1M1.500 9v2M14.500 9v2",
  events: "M8.500 1.500L3.500 9H8l-.5 5.500L12.500 7H8z",
  audit: "M3.500 2.500h9v11h-9zM6 5.500h4M6 8h4M6 10.500h2.500",
  settings: "M2.500 5h6M11.500 5h2M10 3.500v3M2.500 11h2M7.500 11h6M6 9.500v3",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.500 10.500l3 3",
  down: "M4.500 6.500L8 10l3.500-3.500",
  running: "M5 3.500v9l7-4.500z",
  paused: "M5.500 3.500v9M10.500 3.500v9",
  needs: "M8 3v6M8 11.500v1",
  done: "M3.500 8.500l3 3 6-7",
  stopped: "M4.500 4.500l7 7M11.500 4.500l-7 7",
} as const;

export type IconName = keyof typeof PATHS;

/** Rendered once: a page may have hundreds. */
const rendered = Object.fromEntries(
  Object.entries(PATHS).map(([name, path]) => [
    name,
    render(
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path d={path} />
      </svg>,
    ),
  ]),
) as Record<IconName, string>;

export function Icon({ name }: { name: IconName }) {
  return htmlNode(rendered[name]);
}
