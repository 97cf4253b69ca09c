import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A disk of eight megabytes, for as long as the test runs; undefined where this user can't mount one. */
export function smallDisk(t: TestContext): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), "rostrum-test-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]).status === 0;
  t.after(() => {
    if (mounted) spawnSync("umount", ["-l", disk]);
    rmdirSync(disk);
  });
  return mounted ? disk : undefined;
}

/** Fills the free space; returns a function that frees it. */
export function fill(disk: string): () => void {
  const file = join(disk, `ballast-${randomUUID()}`);
  const handle = openSync(file, "w");
  try {
    for (;;) writeSync(handle, Buffer.alloc(4_096));
  } catch (error) {
    assert.equal((error as { code?: string }).code, "ENOSPC");
  } finally {
    closeSync(handle);
  }
  return () => rmSync(file);
}
