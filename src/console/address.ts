/** An address of the console, or its front page: nobody is led to another site. */
export function pathWithin(given: string | undefined): string {
  if (!given?.startsWith("/console") || !URL.canParse(given, "http://here")) return "/console";
  const { host, pathname, search } = new URL(given, "http://here");
  const inside = host === "here" && (pathname === "/console" || pathname.startsWith("/console/"));
  return inside ? pathname + search : "/console";
}
