import type { Clock } from "../../core/context.ts";
import type { Invoke } from "../../core/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import type { ClientDirectory } from "../../identity/oauth/clients.ts";
import type { SignInService } from "../../identity/sign-in.ts";
import type { Log } from "../../lib/log.ts";

/** What the console is built from. */
export interface ConsoleParts {
  operations: readonly Operation[];
  invoke: Invoke;
  entrance: SignInService;
  clients: Pick<ClientDirectory, "find">;
  clock: Clock;
  log: Log;
  publicUrl: string | undefined;
  /** The address that people use for this server. */
  url: () => string;
  /** Whether the server can be reached from this machine alone. */
  staysHere: boolean;
  /** Changes with every write. */
  version: () => number;
}
