import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { BUILD } from "./build.ts";
import type { Asks } from "./servers/serve.ts";

/** A server in a process of its own, and the questions it answers beside its requests. */
export class Child {
  readonly port: number;
  readonly #process: ChildProcess;

  static async start(script: string, args: string[], profileFolder?: string): Promise<Child> {
    const execArgv = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
    const process = fork(join(BUILD, "bench/servers", `${script}.js`), args, { execArgv });
    const ready = await Promise.race([
      once(process, "message"),
      once(process, "exit").then(() => Promise.reject(new Error(`The server ${script} ended before it was ready.`))),
    ]);
    return new Child(process, (ready[0] as { port: number }).port);
  }

  constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  async ask<Question extends keyof Asks>(question: Question): Promise<Asks[Question]> {
    const answered = once(this.#process, "message");
    this.#process.send({ ask: question });
    return (await answered)[0] as Asks[Question];
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.send({ ask: "stop" });
    await ended;
  }
}
