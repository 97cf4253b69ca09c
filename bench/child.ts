import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { env as ownEnv } from "node:process";
import { nodeEnv, nodeFlags } from "../test/support/program.ts";
import { BUILD } from "./build.ts";
import type { Asks, Usage } from "./servers/serve.ts";

/** What is measured under load: one server, or several that answer together. */
export interface Measurable {
  /** Where to send requests. */
  readonly serves: readonly number[];
  ask(question: "usage"): Promise<Usage>;
}

/** A server in its own process, and the questions it answers in addition to requests. */
export class Child implements Measurable {
  readonly port: number;
  readonly ports: readonly number[];
  readonly #process: ChildProcess;

  /**
   * @param build the folder of the build that holds the server
   * @param host how its process differs from Rostrum's
   */
  static async start(
    script: string,
    args: string[],
    profileFolder?: string,
    build = BUILD,
    host: ForkOptions = {},
  ): Promise<Child> {
    const profiling = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
    const execArgv = [...nodeFlags(), ...profiling];
    const env = { ...ownEnv, ...nodeEnv() };
    const process = fork(join(build, "bench/servers", `${script}.js`), args, { execArgv, env, ...host });
    return new Child(process, (await answerOf(process)) as { port: number; ports: readonly number[] });
  }

  constructor(process: ChildProcess, { port, ports }: { port: number; ports: readonly number[] }) {
    this.#process = process;
    this.port = port;
    this.ports = ports;
  }

  get serves(): readonly number[] {
    return [this.port];
  }

  async ask<Question extends keyof Asks>(question: Question): Promise<Asks[Question]> {
    const answered = answerOf(this.#process);
    this.#process.send({ ask: question });
    return (await answered) as Asks[Question];
  }

  async stop(): Promise<void> {
    if (!this.#process.connected) return;
    const ended = once(this.#process, "exit");
    this.#process.send({ ask: "stop" });
    await ended;
  }
}

/** @throws where the process ends instead */
function answerOf(process: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (status: number | null, signal: string | null) =>
      reject(new Error(`A server ended before its time (${signal ?? `status ${status}`}): ${process.spawnargs[1]}`));
    process.once("exit", onExit);
    process.once("message", (answer) => {
      process.off("exit", onExit);
      resolve(answer);
    });
  });
}
