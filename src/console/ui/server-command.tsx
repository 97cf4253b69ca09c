/** @jsxRuntime automatic @jsxImportSource preact */

import { COMMAND } from "../../lib/package.ts";

interface Props {
  words: string;
  /** Variables to set for the command. */
  settings?: readonly string[];
}

/** A command for the server admin, worded for members too. The page doesn't tell them where the server keeps its data. */
export function ServerCommand({ words, settings = [] }: Props) {
  return (
    <>
      <code>{[...settings, COMMAND, words].join(" ")}</code>. The command must run as the system user that runs the
      server, with the server's settings and <code>--data</code> folder.
    </>
  );
}
