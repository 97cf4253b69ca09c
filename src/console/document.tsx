/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Theme } from "./cookies.ts";
import { asset } from "./respond.ts";

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
