import { z } from "zod";
import { revealHidden } from "../domain/hidden-text.ts";

export const hidden = z
  .record(z.string(), z.string())
  .nullable()
  .describe(
    "The texts that hold characters a reader cannot see, or that change the direction of reading, each such character " +
      "shown by its number, as in [U+202E]; null where there are none.",
  );

/** The texts in which something hides, with that shown. */
export function reveal(texts: Record<string, string | null>): z.infer<typeof hidden> {
  const shown = Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    const revealed = text === null ? undefined : revealHidden(text);
    return revealed === undefined ? [] : [[name, revealed]];
  });
  return shown.length === 0 ? null : Object.fromEntries(shown);
}
