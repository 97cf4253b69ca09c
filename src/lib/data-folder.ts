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
