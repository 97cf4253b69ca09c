import { chmodSync, rmSync, statSync } from "node:fs";
import net from "node:net";
import { serverSocket } from "../lib/data-folder.ts";
import { DiskFault } from "../lib/disk-fault.ts";
import type { Log } from "../lib/log.ts";

/** What a command asks of the server: one line of JSON, answered by one line. */
export interface BackupRequest {
  /** An empty file that the pages of the database go to. */
  backup: string;
}

export type BackupAnswer = { done: true } | { error: string };

/** Asks whether the server is ready, as `/readyz` does. */
export interface StatusRequest {
  status: true;
}

export interface StatusAnswer {
  /** The address that people and agents reach it by. */
  url: string;
  ready: boolean;
  /** Why it isn't ready, or what else is wrong. Null if nothing is. */
  note: string | null;
}

/** What the server does for commands. */
export interface CommandHandlers {
  copyLive(target: string, signal: AbortSignal): Promise<void>;
  status(): Promise<StatusAnswer>;
}

/** The longest path that a socket may have, on Linux and macOS. */
const MAX_PATH_BYTES = 100;

/**
 * Listens on a socket in the data folder for what only the server's process can do: tell its state, and copy the live
 * database without holding a snapshot of it. The folder's mode is what protects it. A server that can't listen does without, and so
 * does a second server of the same folder: commands then do the work themselves.
 */
export async function listenForCommands(
  data: string,
  { copyLive, status }: CommandHandlers,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const path = serverSocket(data);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    const gone = new AbortController();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => gone.abort()).on("close", () => gone.abort());
    let line = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      line += chunk;
      if (!chunk.includes("\n")) return;
      const signal = AbortSignal.any([gone.signal, stopping.signal]);
      const work = answer(line, { status, copy: (target) => copyLive(target, signal) }).then((reply) => {
        socket.end(`${JSON.stringify(reply)}\n`);
      });
      running.add(work);
      void work.finally(() => running.delete(work));
    });
  });
  try {
    if (await isServed(data)) {
      log.warn(
        { data },
        "another server runs on this data folder; commands reach only that one. Stop one of the two unless you want both",
      );
      return { close: async () => {} };
    }
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new Error("The path of the data folder is too long.");
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(path, resolve);
    });
    chmodSync(path, 0o600);
  } catch (error) {
    log.warn({ err: error, path }, "can't listen for commands; a backup will copy a snapshot of the database");
    return { close: async () => {} };
  }
  return {
    async close() {
      stopping.abort();
      await Promise.all(running);
      for (const socket of sockets) socket.destroySoon();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

interface Answering {
  status(): Promise<StatusAnswer>;
  copy(target: string): Promise<void>;
}

async function answer(line: string, { status, copy }: Answering): Promise<BackupAnswer | StatusAnswer> {
  try {
    const request = JSON.parse(line) as BackupRequest | StatusRequest;
    if ("status" in request) return await status();
    const { backup } = request;
    const { size } = statSync(backup);
    if (size > 0) return { error: `${backup} is not empty.` };
    await copy(backup);
    return { done: true };
  } catch (error) {
    return { error: error instanceof DiskFault ? error.reason : (error as Error).message };
  }
}

/** Whether a server of the data folder listens on its socket. One that was killed leaves the file behind. */
export function isServed(data: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(serverSocket(data));
    probe.once("connect", () => resolve(true)).once("error", () => resolve(false));
    probe.once("connect", () => probe.destroy());
  });
}
