import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileIn = (data: string) => join(data, "server.url");

/** Writes down where the server of a data folder is reached, for the commands that print links to it. */
export function writeServerUrl(data: string, url: string): void {
  writeFileSync(fileIn(data), `${url}\n`, { mode: 0o600 });
}

/** Where the server of a data folder is reached, if one runs or did not end in order; a later one's word stands. */
export function readServerUrl(data: string): string | undefined {
  try {
    const text = readFileSync(fileIn(data), "utf8").trim();
    return URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

export function removeServerUrl(data: string, url: string): void {
  if (readServerUrl(data) === url) rmSync(fileIn(data), { force: true });
}
