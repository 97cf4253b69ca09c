/** @jsxRuntime automatic @jsxImportSource preact */

import { COMMAND } from "../../lib/package.ts";

interface Props {
  words: string;
  /** Variables to set for the command. */
  settings?: readonly string[];
}

/** A command for the server admin, with where to run it. The page doesn't tell members where the server keeps its data. */
export function ServerCommand({ words, settings = [] }: Props) {
  return (
    <>
      <code>{[...settings, COMMAND, words].join(" ")}</code>. Run it in the folder where the server was started, with
      the same <code>--data</code> option.
    </>
  );
}
