import { userInfo } from "node:os";
import { type OperatorActor, operatorLabel } from "../core/actor.ts";
import type { Answer, DataAnswer, Invoke, RefusedAnswer } from "../core/invoke.ts";
import type { Operation } from "../core/operation.ts";
import { nearestName } from "../domain/text/nearest.ts";
import { UsageError } from "../lib/operator-error.ts";
import { operations } from "../tools/index.ts";

/** Calls an operation as the local operator: the command line does, and so do demo data and tests. */
export function callAsOperator(
  { invoke }: { invoke: Invoke },
  name: string,
  workspaceId: string,
  input: unknown,
  idempotencyKey?: string,
): Promise<Answer> {
  return invoke(findOperation(name), { ...operatorCall(workspaceId, input), idempotencyKey });
}

/** The same, answering data instead of JSON text. */
export function dataAsOperator(
  { invoke }: { invoke: Invoke },
  name: string,
  workspaceId: string,
  input: unknown,
): Promise<DataAnswer | RefusedAnswer> {
  return invoke.data(findOperation(name), operatorCall(workspaceId, input));
}

function operatorCall(workspaceId: string, input: unknown) {
  const user = userName();
  const caller: OperatorActor = { kind: "local_operator", id: user, name: operatorLabel(user), workspaceId };
  return { caller, surface: "cli" as const, requestId: `cli-${process.pid}`, input: () => input };
}

/** @throws UsageError where no operation has this name */
export function findOperation(name: string): Operation {
  const list: readonly Operation[] = operations;
  const operation = list.find((candidate) => candidate.name === name);
  if (operation !== undefined) return operation;
  throw new UsageError(`Unknown operation "${name}". ${suggest(name, list)}`);
}

function suggest(name: string, list: readonly Operation[]): string {
  const names = list.map((one) => one.name);
  const nearest = nearestName(name, names);
  return nearest === undefined ? `Available operations: ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
}

/** The name of the system's user. A user without an entry in the system's list, as in containers, has a number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
