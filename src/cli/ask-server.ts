import { closeSync, fdatasync, openSync } from "node:fs";
import net from "node:net";
import { promisify } from "node:util";
import {
  type BackupAnswer,
  type BackupRequest,
  isServed,
  type StatusAnswer,
  type StatusRequest,
} from "../http/command-socket.ts";
import { serverSocket } from "../lib/data-folder.ts";

const SYNC_EVERY_MS = 200;

/**
 * Has the running server of a data folder copy its database to an empty file. False where there is none, or where it
 * can't: it may run as another user, or see other paths.
 */
export async function copyByServer(data: string, partial: string): Promise<boolean> {
  const request: BackupRequest = { backup: partial };
  const answered = ask<BackupAnswer>(data, request);
  const syncing = keepSynced(partial, answered);
  const answer = await answered;
  await syncing;
  return "done" in answer;
}

/** How long a server may take to tell its state. */
const STATUS_MS = 5_000;

/**
 * Asks the running server of a data folder for its state. Undefined where none listens for commands.
 *
 * @throws where it doesn't answer, or is of a version that can't tell
 */
export async function statusOfServer(data: string): Promise<StatusAnswer | undefined> {
  if (!(await isServed(data))) return undefined;
  const request: StatusRequest = { status: true };
  const answer = await ask<StatusAnswer | { error: string }>(data, request, STATUS_MS);
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}

/** Sends a request, and reads the line that answers it. What breaks the connection is an error in the answer. */
async function ask<Answer>(data: string, request: object, timeoutMs = 0): Promise<Answer | { error: string }> {
  const socket = net.connect(serverSocket(data));
  const answered = new Promise<Answer | { error: string }>((resolve) => {
    const failed = (error?: Error) => resolve({ error: error?.message ?? "The server ended the connection." });
    let line = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      line += chunk;
      if (chunk.includes("\n")) resolve(JSON.parse(line) as Answer);
    });
    socket.once("error", failed).once("close", () => failed());
    if (timeoutMs > 0) socket.setTimeout(timeoutMs, () => failed(new Error("The server doesn't answer.")));
  });
  socket.write(`${JSON.stringify(request)}\n`);
  return answered.finally(() => socket.destroy());
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
