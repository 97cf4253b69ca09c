import { CommanderError } from "commander";
import { type Config, readConfig } from "../config.ts";
import { failure } from "../core/envelope.ts";
import type { Answer } from "../core/invoke.ts";
import { Problem, type ProblemCode, problem, sentence } from "../core/problem.ts";
import { DiskFault, diskFault } from "../lib/disk-fault.ts";
import { createLog, type Log } from "../lib/log.ts";
import { OperatorError, UsageError } from "../lib/operator-error.ts";
import { COMMAND } from "../lib/package.ts";

/** Exit statuses: 1 for a refusal or an error, 2 for wrong usage of the command. */
export const REFUSED = 1;
export const WRONG_USAGE = 2;

export interface DataOptions {
  data?: string;
  json?: boolean;
}

export function configOf(options: DataOptions): Config {
  return readConfig({ data: options.data });
}

export function quietLog(): Log {
  return createLog("warn");
}

/** The options of a command, by the input fields that they fill. */
export type OptionNames = Readonly<Record<string, string>>;

/**
 * Prints an answer: the raw envelope with --json, else the data for a person. Sets the exit status.
 *
 * @param named the command's own options: a refusal for people names these, not the fields of the API
 */
export function print(
  answer: Answer,
  options: DataOptions,
  show: (data: never) => string = pretty,
  named: OptionNames = {},
): void {
  if (answer.refusal !== undefined) process.exitCode = REFUSED;
  if (options.json) {
    process.stdout.write(`${answer.body}\n`);
  } else if (answer.refusal === undefined) {
    process.stdout.write(`${show((JSON.parse(answer.body) as { data: never }).data)}\n`);
  } else {
    const { code, faults } = answer.refusal;
    process.stderr.write(`${faults.map((fault) => withOption(fault, named)).join(" ")} (${code})\n`);
  }
}

function withOption(fault: string, named: OptionNames): string {
  const [field = ""] = /^\w+(?=: )/.exec(fault) ?? [];
  return (named[field] ?? field) + sentence(fault).slice(field.length);
}

/** What a terminal obeys, or does not show: JSON leaves these characters as they are. */
const UNSEEN = /[\u007f-\u009f\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** JSON in which invisible characters and those that control a terminal are escaped. */
export function pretty(data: unknown): string {
  return JSON.stringify(data, null, 2).replace(UNSEEN, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Prints what a command without an operation found, in the same envelope. */
export function printData(data: unknown, options: DataOptions, show: () => string): void {
  process.stdout.write(options.json ? `${JSON.stringify({ data, error: null })}\n` : `${show()}\n`);
}

/** Prints what went wrong in one line, or in the envelope with --json, and sets the exit status. */
export function printFault(error: unknown, json: boolean): void {
  if (error instanceof Problem) {
    print({ status: error.status, body: failure(error), refusal: error }, { json });
    return;
  }
  const usage = error instanceof UsageError || error instanceof CommanderError;
  const refused = usage || error instanceof OperatorError;
  const cause = faultOfMachine(error);
  process.exitCode = usage ? WRONG_USAGE : REFUSED;
  const message = cause?.message ?? (error instanceof Error ? errorText(error) : String(error));
  if (json) {
    const code = refused && !(error instanceof DiskFault) ? "validation_failed" : (cause?.code ?? "internal_error");
    process.stdout.write(`${failure(problem(code, message))}\n`);
  } else {
    const ours = !refused && cause === undefined && error instanceof Error;
    process.stderr.write(`${ours ? error.stack : message}\n`);
  }
}

/** commander's messages, as this command writes its own. */
function errorText(error: Error): string {
  if (error instanceof CommanderError && error.code === "commander.help")
    return "A command is required. List the commands with --help.";
  return error.message.replace(/^error: /, "");
}

/** What is wrong with the machine rather than with this program: an address, a folder or a database that can't be used. */
function faultOfMachine(error: unknown): { message: string; code: ProblemCode } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, address, message } = error as NodeJS.ErrnoException & { address?: string };
  const fault = path === undefined ? undefined : diskFault(error, path);
  if (fault !== undefined) return { code: "db_unavailable", message: fault.message };
  // An exit status of another program is a number.
  if (typeof code === "string" && code.startsWith("SQLITE_")) {
    return {
      code: "db_unavailable",
      message: `The database can't be opened: ${message}. Run ${COMMAND} doctor to find out why.`,
    };
  }
  if (syscall === undefined) return undefined;
  const reason =
    code === "EADDRNOTAVAIL"
      ? `${address} is not an address of this machine. Choose another one with --host.`
      : `${message}.`;
  return { code: "validation_failed", message: reason };
}
