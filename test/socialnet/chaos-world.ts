import assert from "node:assert/strict";
import { callAsOperator } from "../../src/cli/operator.ts";
import type { Core } from "../../src/composition/core.ts";
import type { Outcome } from "../../src/domain/socialnet/action.ts";
import type { Random } from "../support/random.ts";
import type { RestartingServer } from "./chaos-restarts.ts";
import type { SharedClock } from "./shared-clock.ts";

export interface Account {
  id: string;
  profileUrl: string;
  timeZone: string;
  keys: string[];
}

export interface Lease {
  actionId: string;
  leaseToken: string;
}

/** The social network: what was actually sent. */
export class Network {
  readonly #sent = new Map<string, string>();

  send(actionId: string, copy: string): void {
    assert.ok(!this.#sent.has(actionId), `${actionId} was sent twice`);
    this.#sent.set(actionId, copy);
  }

  shows(actionId: string): boolean {
    return this.#sent.has(actionId);
  }

  get sent(): ReadonlyMap<string, string> {
    return this.#sent;
  }
}

/** Everything that the server has acknowledged, and must keep. */
export class Acknowledged {
  readonly claims: Lease[] = [];
  readonly starts: (Lease & { copy: string })[] = [];
  readonly results: (Lease & { outcome: Outcome; status: string })[] = [];
  readonly sightings = new Set<string>();
  /** The copies of an action that a person has approved. */
  readonly approved = new Map<string, Set<string>>();
}

export interface World {
  random: Random;
  clock: SharedClock;
  /** People use a separate process beside the server, as the command line does. */
  core: Core;
  workspaceId: string;
  server: RestartingServer;
  accounts: Account[];
  /** Email and profile of every contact. */
  contacts: { id: string; email: string; profileUrl: string }[];
  network: Network;
  acknowledged: Acknowledged;
  /** Runs whenever an agent got an answer. */
  turn(): Promise<void>;
  over(): boolean;
}

/** Calls an operation as a person; returns its data, or the code of its refusal, which must be one of these. */
export async function person(
  { core, workspaceId }: Pick<World, "core" | "workspaceId">,
  name: string,
  input: object,
  mayRefuse: readonly string[] = [],
): Promise<any> {
  const answer = await callAsOperator(core, name, workspaceId, input);
  if (answer.refusal === undefined) return JSON.parse(answer.body).data;
  assert.ok(mayRefuse.includes(answer.refusal.code), `${name} ${JSON.stringify(input)}: ${answer.body}`);
  return undefined;
}
