import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../lib/write-file.ts";

const fileIn = (data: string) => join(data, "server.url");

/** Writes the URL of the running server into its data folder, for commands that print links to it. */
export function writeServerUrl(data: string, url: string): void {
  writeWhole(fileIn(data), `${url}\n`);
}

/** The URL of the data folder's server, if one runs or did not shut down cleanly. */
export function readServerUrl(data: string): string | undefined {
  try {
    const text = readFileSync(fileIn(data), "utf8").trim();
    return URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes the file, unless a later server has written its own URL.
 *
 * @param other the URL of an earlier server that still runs, which the file then holds again
 */
export function removeServerUrl(data: string, url: string, other?: string): void {
  if (readServerUrl(data) !== url) return;
  if (other === undefined) rmSync(fileIn(data), { force: true });
  else writeServerUrl(data, other);
}

/** The URL of a server for a browser on this machine. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
