import { renameSync, rmSync, writeFileSync } from "node:fs";
import { diskFault } from "./disk-fault.ts";

/**
 * Writes a small file that only the owner can read, either whole or not at all. It is written under another name first, so that no
 * process reads half of it and a full disk leaves the old one as it was.
 *
 * @throws DiskFault
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw diskFault(error, file) ?? error;
  }
}
