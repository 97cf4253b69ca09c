import { once } from "node:events";
import { createServer } from "node:net";
import { type Config, sourceOf } from "../../config.ts";
import { readServerUrl } from "../../http/server-url-file.ts";
import { statusOfServer } from "../ask-server.ts";
import { type Finding, fault, fine, warning } from "./finding.ts";

const RESTART = "look at the server's log, then restart the server";

/**
 * The running server is ready. Where none runs, one could start: its ports are free.
 *
 * @param isInUse whether a process works on the database, which may not listen for commands
 */
export async function server(config: Config, isInUse: boolean): Promise<Finding[]> {
  const { data } = config;
  try {
    const status = await statusOfServer(data);
    if (status !== undefined) {
      const { url, ready, note } = status;
      if (!ready) return [fault("server", `running at ${url}, but not ready: ${note}`, RESTART)];
      return [
        note === null
          ? fine("server", `running at ${url}, ready`)
          : warning("server", `running at ${url}, ready, but ${note}`, "look at the server's log"),
      ];
    }
  } catch (error) {
    return [fault("server", `running, but its status can't be read: ${(error as Error).message}`, RESTART)];
  }
  if (isInUse) return [await askByUrl(readServerUrl(data))];
  return [fine("server", "no server is running on this folder"), ...(await ports(config))];
}

const TIMEOUT_MS = 5_000;

async function askByUrl(url: string | undefined): Promise<Finding> {
  if (url === undefined) return warning("server", "running, but its address isn't known", RESTART);
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    const text = (await response.text()).trim();
    if (response.ok) return fine("server", `running at ${url}, ${text.replaceAll("\n", ", but ")}`);
    return fault("server", `running at ${url}, but not ready: ${text || response.status}`, RESTART);
  } catch (error) {
    const { cause = error } = error as Error;
    return fault("server", `running, but not responding at ${url}: ${(cause as Error).message}`, RESTART);
  }
}

/** The ports that a start would take. */
async function ports(config: Config): Promise<Finding[]> {
  const wanted = [
    ["port", config.host],
    ["healthPort", config.host],
    ["metricsPort", "127.0.0.1"],
  ] as const;
  const findings: Finding[] = [];
  for (const [name, host] of wanted) {
    const port = config[name];
    if (port === undefined || port === 0) continue;
    const code = await whyTaken(port, host);
    const setting = sourceOf(name, {});
    if (code === undefined) findings.push(fine("port", `${host}:${port} is free`));
    else
      findings.push(
        fault("port", `${host}:${port} ${REASONS[code] ?? `can't be used: ${code}`}`, portFix(code, setting)),
      );
  }
  return findings;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is used by another program",
  EACCES: "needs root",
  EADDRNOTAVAIL: "is not an address of this machine",
};

/** What to do about a port that can't be used, by the system's code. */
export function portFix(code: string, setting: string): string {
  if (code === "EADDRNOTAVAIL") return "correct ROSTRUM_HOST";
  if (code === "EACCES") return `set ${setting} to a port above 1023`;
  return `stop the other program, or set ${setting} to another port`;
}

/** The system's code for why a port can't be listened on. Undefined where it can. */
async function whyTaken(port: number, host: string): Promise<string | undefined> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  } finally {
    probe.close();
  }
}
