import { normalize } from "node:path";
import { COMMAND } from "./package.ts";

const DEFAULT_DATA = "./data";

/** A command on a data folder as it can be pasted into a shell. */
export function commandOn(data: string, words: string): string {
  return normalize(data) === normalize(DEFAULT_DATA)
    ? `${COMMAND} ${words}`
    : `${COMMAND} ${words} --data ${quote(data)}`;
}

/** Quotes one argument for the shell. */
export function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
