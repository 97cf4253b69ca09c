/** A temporary PostgreSQL server on a free port, for tests and measurements: Debian's, run by an unprivileged user. */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../test/support/free-port.ts";

const VERSIONS = "/usr/lib/postgresql";
const USER = "postgres";

export interface Cluster {
  /** The URL of a database of it, by the database's name. */
  url(database: string): string;
  /** Runs `pg_ctl`: `stop`, `reload`, with its options. */
  control(...args: string[]): Promise<void>;
  /** After it was stopped. */
  start(): Promise<void>;
  folder: string;
  port: number;
  stop(): Promise<void>;
}

/** Where initdb and pg_ctl are. */
function binaries(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => join(VERSIONS, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
  if (found === undefined) throw new Error("There is no initdb. Install PostgreSQL: apt-get install -y postgresql");
  return found;
}

/**
 * @param settings of the server, beside those that keep it apart from others
 * @param parent where its folder is made
 */
export async function startCluster(
  settings: Readonly<Record<string, string>> = {},
  parent: string = tmpdir(),
): Promise<Cluster> {
  const bin = binaries();
  const folder = mkdtempSync(join(parent, "rostrum-postgres-"));
  const isRoot = process.getuid?.() === 0;
  // The server refuses to run as root.
  const run = async (program: string, ...args: string[]) => {
    const command = [join(bin, program), ...args];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const [file, given] = isRoot ? ["su", [USER, "-c", quoted]] : [command[0] as string, command.slice(1)];
    await promisify(execFile)(file as string, given as string[], { cwd: folder });
  };
  if (isRoot) {
    const id = (what: string) => Number(execFileSync("id", [what, USER], { encoding: "utf8" }));
    chownSync(folder, id("-u"), id("-g"));
  }
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  const port = await freePort();
  const all = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    fsync: "on",
    max_connections: "1000",
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    ...settings,
  };
  const control = (...args: string[]) => run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), ...args);
  await run("initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  const start = () => control("-o", options.join(" "), "start");
  await start();
  return {
    url: (database) => `postgres:///${database}?host=${folder}&port=${port}&user=${USER}`,
    control,
    start,
    folder,
    port,
    async stop() {
      await control("-m", "immediate", "stop").catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
