import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { removeFolder } from "../../test/support/folder.ts";
import { entryOf, type PackageName } from "../on-demand.ts";
import type { Addresses, Program } from "./programs.ts";

const LIMIT_MS = 90_000;
/** Where a terminal's link begins or ends. */
const [ESCAPE, BELL] = ["\u001b", "\u0007"];
const LINK = new RegExp(`${ESCAPE}\\]8;[^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)`, "g");

/** The home folder of one client, and the lines that run in it. */
export class Home {
  output = "";
  readonly #folder = mkdtempSync(join(tmpdir(), "rostrum-clients-"));
  #env: Record<string, string> = {};
  readonly #running = new Set<{ isOver(): boolean; end(): void }>();

  /** Puts in place the client and its settings. */
  prepare(program: Program, at: Addresses, key: string | undefined): void {
    const bin = join(this.#folder, "bin");
    const node = entryOf("node");
    const shim = (command: string, line: string) => {
      writeFileSync(join(bin, command), `#!/bin/sh\n${line}\n`);
      chmodSync(join(bin, command), 0o755);
    };
    mkdirSync(join(this.#folder, "work"), { recursive: true });
    mkdirSync(bin);
    for (const [command, name] of Object.entries({ [program.command]: program.package, ...program.beside })) {
      const entry = entryOf(name as PackageName);
      shim(command, `exec ${entry.endsWith(".exe") ? "" : `"${node}" `}"${entry}" "$@"`);
    }
    // Whatever would open a browser writes the address down.
    shim("xdg-open", `echo "$1" >> "${this.#opened}"`);
    for (const [path, text] of Object.entries(program.files?.(at, key) ?? {})) {
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
      writeFileSync(join(this.#folder, path), text);
    }
    this.#env = {
      HOME: this.#folder,
      PATH: [bin, dirname(node), "/usr/bin", "/bin"].join(delimiter),
      BROWSER: join(bin, "xdg-open"),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ...program.env?.(at),
    };
  }

  get #opened(): string {
    return join(this.#folder, "opened");
  }

  /** The output as a terminal would show it. */
  get shown(): string {
    return stripVTControlCharacters(this.output.replaceAll(LINK, " "));
  }

  /** Where the client sends the person to sign in. */
  get address(): string | undefined {
    const said = (existsSync(this.#opened) ? readFileSync(this.#opened, "utf8") : "") + this.shown;
    return /http\S+?\/console\/authorize\?[!-~]+/.exec(said)?.[0];
  }

  /** Starts a line, in a terminal if the client wants one. */
  start(line: string, terminal = false) {
    const env = this.#env;
    const [program, ...args] = terminal
      ? ["script", "-qefc", `stty cols 200 rows 50; ${line}`, "/dev/null"]
      : ["sh", "-c", line];
    const child: ChildProcess = spawn(program as string, args, {
      cwd: join(this.#folder, "work"),
      env,
      detached: true,
      stdio: [terminal ? "pipe" : "ignore", "pipe", "pipe"],
    });
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      clearTimeout(limit);
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It has ended.
      }
    };
    const limit = setTimeout(end, LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    child.stdin?.on("error", () => {});
    child.on("error", end).on("close", end);
    const started = { child, isOver: () => over, end };
    this.#running.add(started);
    return started;
  }

  async run(line: string): Promise<void> {
    await until(this.start(line).isOver);
  }

  async close(): Promise<void> {
    for (const { end } of this.#running) end();
    await removeFolder(this.#folder);
  }
}

/** Waits at most as long as a line may run. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`Nothing happened in ${LIMIT_MS / 1000} seconds.`);
    await sleep(50);
  }
}
