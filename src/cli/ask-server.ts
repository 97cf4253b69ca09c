import { closeSync, fdatasync, openSync } from "node:fs";
import net from "node:net";
import { promisify } from "node:util";
import type { BackupAnswer, BackupRequest } from "../http/command-socket.ts";
import { serverSocket } from "../lib/data-folder.ts";

const SYNC_EVERY_MS = 200;

/**
 * Has the running server of a data folder copy its database to an empty file. False where there is none, or where it
 * can't: it may run as another user, or see other paths.
 */
export async function copyByServer(data: string, partial: string): Promise<boolean> {
  const socket = net.connect(serverSocket(data));
  const answered = new Promise<BackupAnswer>((resolve) => {
    const failed = (error?: Error) => resolve({ error: error?.message ?? "The server ended the connection." });
    let line = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      line += chunk;
      if (chunk.includes("\n")) resolve(JSON.parse(line) as BackupAnswer);
    });
    socket.once("error", failed).once("close", () => failed());
  });
  const request: BackupRequest = { backup: partial };
  socket.write(`${JSON.stringify(request)}\n`);
  const syncing = keepSynced(partial, answered);
  const answer = await answered;
  socket.destroy();
  await syncing;
  return "done" in answer;
}

/** Whether a server runs on the data folder. */
export function isServed(data: string): Promise<boolean> {
  const socket = net.connect(serverSocket(data));
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

/** Writes to the disk what the server has copied so far: its own sync at the end would else stop it for seconds. */
async function keepSynced(file: string, until: Promise<unknown>): Promise<void> {
  const handle = openSync(file, "r");
  let ended = false;
  const end = until.then(() => {
    ended = true;
  });
  try {
    while (!ended) {
      await promisify(fdatasync)(handle);
      await Promise.race([end, new Promise((resolve) => setTimeout(resolve, SYNC_EVERY_MS).unref())]);
    }
  } finally {
    closeSync(handle);
  }
}
