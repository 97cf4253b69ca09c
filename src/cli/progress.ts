import cliProgress from "cli-progress";
import type { DataOptions } from "./terminal.ts";

export interface Progress {
  bytes(read: number): void;
  rows(done: number): void;
  stop(): void;
}

/** A bar on stderr where a person looks at it, by bytes read. */
export function progressOf(total: number, { json }: DataOptions): Progress {
  if (json || !process.stderr.isTTY) return { bytes: () => undefined, rows: () => undefined, stop: () => undefined };
  const bar = new cliProgress.SingleBar(
    // Without its own line wrapping nothing of the terminal has to be put back after Ctrl-C.
    { format: "{bar} {percentage}%  {rows} rows  {eta_formatted} left", linewrap: true, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { rows: 0 });
  return {
    bytes: (read) => bar.update(read),
    rows: (rows) => bar.update({ rows }),
    stop: () => bar.stop(),
  };
}
