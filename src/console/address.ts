/** Addresses that hold a secret: what leads on carries none of them, however it is written. */
const SECRET = /^\/console\/+(?:setup|invitation|reset|single-sign-on)(?![\w-])/i;

/** An address of the console, or its front page: nobody is led to another site, or to a link that works once. */
export function pathWithin(given: string | undefined): string {
  if (!given?.startsWith("/console") || !URL.canParse(given, "http://here")) return "/console";
  const { host, pathname, search } = new URL(given, "http://here");
  const inside = host === "here" && (pathname === "/console" || pathname.startsWith("/console/"));
  return inside && !SECRET.test(plain(pathname)) ? pathname + search : "/console";
}

function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
