import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { accountOfAgent, refused, requireActivated, UNBOUND } from "../../services/socialnet/eligibility.ts";
import { COMPACT_ACTION } from "./action-schema.ts";
import { brief } from "./commands/brief.ts";
import { claim } from "./commands/claim.ts";
import { connectionAccepted } from "./commands/connection-accepted.ts";
import { healthObservation } from "./commands/health-observation.ts";
import { heartbeat, reconnectAck } from "./commands/heartbeat.ts";
import { result } from "./commands/result.ts";
import { runReport } from "./commands/run-report.ts";
import { scheduleReport } from "./commands/schedule-report.ts";
import { answerSetup, SETUP } from "./commands/setup.ts";
import type { AgentCommand } from "./commands/shared.ts";
import { start } from "./commands/start.ts";
import { sync } from "./commands/sync.ts";

/** All but setup need a key that is bound to an account. */
const COMMANDS = [
  healthObservation,
  connectionAccepted,
  heartbeat,
  brief,
  scheduleReport,
  runReport,
  sync,
  reconnectAck,
  claim,
  start,
  result,
] as const;

/** In the contract's order, as types of one kind: each handler is given what its own schema parsed. */
const bound = new Map<string, AgentCommand>(
  (COMMANDS as readonly unknown[] as readonly AgentCommand[]).map((command) => [command.name, command]),
);
export const AGENT_COMMANDS = [SETUP, ...bound.values()];
const COMMAND_NAMES = AGENT_COMMANDS.map(({ name }) => name) as [string, ...string[]];

/** Fields that mean something else in each command. */
const MEANS: Record<string, string> = {
  profileUrl: "connection_accepted: theirs. heartbeat: the signed-in one, else the account's.",
};

/** Every field of every command, on the wire: an object at the root, since clients refuse a list of alternatives. */
const wire = z.strictObject({
  command: z.enum(COMMAND_NAMES),
  ...Object.fromEntries(
    AGENT_COMMANDS.flatMap(({ takes }) => Object.entries(takes) as [string, z.ZodType][]).map(([name, field]) => [
      name,
      onWire(name, field),
    ]),
  ),
});

function onWire(name: string, field: z.ZodType): z.ZodType {
  const users = AGENT_COMMANDS.filter(({ takes }) => Object.hasOwn(takes, name)).map((command) => command.name);
  return field.optional().describe(MEANS[name] ?? `${field.description ?? ""} For ${users.join(", ")}.`.trim());
}

/** Each command's own: a field that it does not take is refused. */
const commands = z
  .discriminatedUnion(
    "command",
    AGENT_COMMANDS.map((command) => {
      const own = z.strictObject({ command: z.literal(command.name), ...command.takes }).describe(command.does);
      return "check" in command && command.check ? own.refine(...(command.check as [never, never])) : own;
    }) as unknown as [z.ZodObject<{ command: z.ZodLiteral<string> }>],
  )
  .meta({ examples: AGENT_COMMANDS.map(({ name, example }) => ({ command: name, ...example })) });

type Given = { command: string } & Record<string, unknown>;

export const socialnetCommand = agentOperation({
  name: "socialnet_command",
  area: "socialnet",
  title: "Work as a social agent",
  description:
    "Act for one person's account on the professional network, in their browser. Order: setup, heartbeat, brief, sync " +
    "if you saw replies. Then for each action: claim, start, send the exact copy once, result. Last: run_report. setup " +
    "returns your instructions. actionId is from list_socialnet_actions, leaseToken from claim. Send only after start. " +
    "A claim expires after 10 minutes: claim again. After start you have 15 minutes and one try: in doubt, report " +
    "outcome_unknown. On a login or captcha, stop: if started, report it by result, then heartbeat. A ready " +
    "heartbeat ends the hold. A refusal is { error, reason, nextWindowAt? } or { data: null, error, code }.",
  access: { scope: "socialnet.execute" },
  http: {
    method: "POST",
    path: "/socialnet/actions",
    statuses: [200],
    body: "SocialnetCommand",
    describedBody: commands,
  },
  tool: {
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    compact: [...COMPACT_ACTION.map((field) => `action.${field}`), "commands", "account.sessionAt", "account.timeZone"],
    exact: ["profileUrl"],
    options: {
      instructionsVersion: z
        .string()
        .max(100)
        .optional()
        .describe("The version you have. If current, the text is omitted."),
    },
  },
  budget: "socialnet",
  idempotent: false,
  effect: "write",
  onlyReads: (input) => {
    const { command } = input as Given;
    return command === SETUP.name || bound.get(command)?.reads === true;
  },
  errors: ["socialnet_refused", "action_not_found"],
  input: wire.pipe(commands),
  output: z.union([...new Set<z.ZodType>(AGENT_COMMANDS.map(({ answers }) => answers))]),
  async handler(ctx, given) {
    const { command: name, ...input } = given as Given;
    const account = await accountOfAgent(ctx);
    const command = bound.get(name);
    if (command === undefined) return { data: await answerSetup(ctx, account, AGENT_COMMANDS) };
    if (command.executes) requireActivated(ctx);
    if (account === undefined) {
      throw refused("unbound_agent", UNBOUND);
    }
    const answered = await command.handler(ctx, account, input as never);
    if (isRefused(answered)) return answered;
    return { data: answered, record: typeof input.actionId === "string" ? input.actionId : account.id };
  },
});

function isRefused(answer: unknown): answer is { refusal: never } {
  return typeof answer === "object" && answer !== null && "refusal" in answer;
}
