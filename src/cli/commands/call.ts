import { buffer } from "node:stream/consumers";
import { SETTINGS } from "../../config.ts";
import { isFreeForm } from "../../core/json-schema.ts";
import type { Operation } from "../../core/operation.ts";
import { Problem } from "../../core/problem.ts";
import { parseJson } from "../../http/json.ts";
import { UsageError } from "../../lib/operator-error.ts";
import { COMMAND } from "../../lib/package.ts";
import { callAsOperator, findOperation } from "../operator.ts";
import { configOf, type DataOptions, print } from "../terminal.ts";
import { findWorkspace, withCore } from "../with-core.ts";

interface CallOptions extends DataOptions {
  workspace?: string;
  input: string;
  idempotencyKey?: string;
}

/** `rostrum call`: one operation, with the same pipeline and the same answer as over the network. */
export async function call(name: string, options: CallOptions): Promise<void> {
  const operation = findOperation(name);
  if (options.idempotencyKey !== undefined && !operation.idempotent) {
    throw new UsageError(
      `${name} doesn't take --idempotency-key, so a repeated call would run again. Remove the option.`,
    );
  }
  const bytes = options.input === "-" ? await buffer(process.stdin) : Buffer.from(options.input);
  const input = parse(bytes, operation);
  await withCore(options, async (core) => {
    // A catalog that cannot be used is a mistake of this command's settings; no operation could report it.
    if (operation.area === "checklist") core.catalog();
    const workspaceId = operation.founding ? "" : await findWorkspace(core, options);
    const answer = await callAsOperator(core, name, workspaceId, input, options.idempotencyKey);
    print(answer, options);
    const { outboundGate, socialnetExecution } = configOf(options);
    if (socialnetExecution === "off" && INACTIVE.test(answer.body)) tellShell("Social sending", SOCIAL, "on");
    if (outboundGate === "closed" && answer.body.includes(CLOSED)) tellShell("Sending", OUTBOUND, "open");
  });
}

/** How answers show that execution is off: a refusal, what blocks an action, or the server's status. */
const INACTIVE = /"execution_not_activated"|"execution_?activated":false/i;
/** How answers show that the outbound gate is closed: a refusal, what delays an enrollment, or what holds an account. */
const CLOSED = '"outbound_gate_closed"';

const SOCIAL = SETTINGS.socialnetExecution.env;
const OUTBOUND = SETTINGS.outboundGate.env;

/** Says that the shell has a setting off, which the answer blames on the server. */
function tellShell(what: string, variable: string, on: string): void {
  process.stderr.write(
    `${what} is off in this shell, because ${variable} is not ${on}. The server may have other settings. ` +
      `To turn it on for this command: ${variable}=${on} ${COMMAND} call …\n`,
  );
}

function parse(bytes: Buffer, operation: Operation): unknown {
  try {
    return parseJson(bytes, isFreeForm(operation));
  } catch (error) {
    throw error instanceof Problem
      ? new UsageError(`--input: ${error.message}`.replace(/: The request body\b/, ""))
      : error;
  }
}
