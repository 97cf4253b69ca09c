import { userInfo } from "node:os";
import { type OperatorActor, operatorInWords } from "../core/actor.ts";
import type { Answer, Invoke } from "../core/invoke.ts";
import type { Operation } from "../core/operation.ts";
import { operations } from "../tools/index.ts";

/** An operation that nothing is called. */
export class UnknownOperation extends Error {}

/** @throws UnknownOperation */
export function findOperation(name: string): Operation {
  const list: readonly Operation[] = operations;
  const operation = list.find((candidate) => candidate.name === name);
  if (operation !== undefined) return operation;
  throw new UnknownOperation(`No operation ${name}. There are: ${list.map((known) => known.name).join(", ")}.`);
}

/** Calls an operation as whoever sits at the machine: the command line does, and so do demo data and tests. */
export function callAsOperator(
  { invoke }: { invoke: Invoke },
  name: string,
  workspaceId: string,
  input: unknown,
  idempotencyKey?: string,
): Promise<Answer> {
  const user = userName();
  return invoke(findOperation(name), {
    caller: { kind: "local_operator", id: user, name: operatorInWords(user), workspaceId } satisfies OperatorActor,
    surface: "cli",
    requestId: `cli-${process.pid}`,
    input: () => input,
    idempotencyKey,
  });
}

/** A user without an entry in the system's list, as containers have them, goes by number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
