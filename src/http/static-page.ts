import { createHash } from "node:crypto";
import helmet from "helmet";

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 15vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; }
button { font: inherit; padding: 0.6rem 1.4rem; border: 0; border-radius: 0.4rem; color: #fff; background: #1d4ed8; }
button:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px; }
`;

/** A page that needs nothing else of the server. Nothing of a request may be in it: nothing is escaped. */
export function staticPage(title: string, text: string, button?: string): string {
  const form = button === undefined ? "" : `<form method="post"><button>${button}</button></form>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${form}</main>
</body>
</html>
`;
}

const directives = {
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`],
  imgSrc: ["data:"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

/** The headers of such a page, set by express. */
export const staticPageHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives },
  referrerPolicy: { policy: "no-referrer" },
  // The proxy in front decides on TLS.
  strictTransportSecurity: false,
});
