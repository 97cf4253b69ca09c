import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The names of the files in the data folder. */
export function databaseFile(data: string): string {
  return join(data, "rostrum.db");
}

/** The key that seals secrets. It is next to the database, and outside its backups. */
export function dataKeyFile(data: string): string {
  return join(data, "data.key");
}

/** Where messages are written while no mail server is set up. */
export function mailFolder(data: string): string {
  return join(data, "mail");
}

/** Where the server listens for commands of the same data folder. Who may open the folder may use it. */
export function serverSocket(data: string): string {
  return join(data, "server.sock");
}

/** A database that a move has not finished. */
export const movingFile = (database: string): string => `${database}.moving`;

/** Where it is written that the database was moved to another place. Its text is the URL without the password. */
export function movedNote(data: string): string {
  return join(data, "moved-to");
}

/** Where the database was moved, if it was. Writing on in the file left behind would send twice, and lose what is written. */
export function movedTo(data: string): string | undefined {
  try {
    return readFileSync(movedNote(data), "utf8").trim();
  } catch {
    return undefined;
  }
}
