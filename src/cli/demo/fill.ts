import { type Core, openCore } from "../../app.ts";
import type { Config } from "../../config.ts";
import type { Answer } from "../../core/invoke.ts";
import type { Log } from "../../lib/log.ts";
import { DEMO_OWNER } from "../../services/access/links.ts";
import type { Store } from "../../store/store.ts";
import { callAsOperator, findOperation } from "../operator.ts";
import { FIRST_COLLEAGUE, OUTREACH } from "./outreach.ts";
import { PEOPLE } from "./people.ts";
import { SERVED } from "./served.ts";
import { SOCIAL } from "./social.ts";
import { SOCIALNET } from "./socialnet.ts";
import { type Act, type Agent, type Cast, STORY } from "./story.ts";

const DEMO_WORKSPACE = "demo";

const DAY_MS = 86_400_000;
const FIRST_DAY = 42;

/** What later acts need of what one made. */
interface Made {
  id: string;
  leaseToken?: string;
}

/** Calls an operation as the agent that holds an account's key. */
function callAsAgent(
  { invoke }: Core,
  operation: string,
  input: unknown,
  agent: Agent,
  { workspaceId, cast }: { workspaceId: string; cast: Cast },
): Promise<Answer> {
  const known = { id: cast.id(agent.key), name: agent.key, scopes: new Set(agent.scopes) };
  const key = { ...known, prefix: "", workspaceId, socialnetAccountId: cast.id(agent.account) };
  return invoke(findOperation(operation), {
    caller: { kind: "key", ...key },
    surface: "mcp",
    requestId: "demo",
    input: () => input,
  });
}

/** The people come in over the first fortnight, each with the company that they work for. */
function arrivals(): Act[] {
  const companies = [...new Set(PEOPLE.map(({ company }) => company))];
  const accounts = companies.map((name): Act => {
    const { website } = PEOPLE.find(({ company }) => company === name) ?? {};
    const domain = website?.replace("https://", "");
    return {
      ago: FIRST_DAY,
      time: "8:00",
      operation: "create_account",
      input: () => ({ name, domain, website }),
      as: name,
    };
  });
  const people = PEOPLE.flatMap(({ tags, ...person }, index): Act[] => {
    const at = { ago: FIRST_DAY - 1 - Math.floor(index / 12), time: "8:30" } as const;
    const as = person.email.split("@")[0] as string;
    return [
      { ...at, operation: "create_contact", input: () => person, as },
      { ...at, operation: "update_contact", input: (the) => ({ id: the.id(as), account_id: the.id(person.company) }) },
      ...(tags.length > 0
        ? [{ ...at, operation: "add_contact_tags", input: (the: Cast) => ({ id: the.id(as), tags }) }]
        : []),
    ];
  });
  return [...accounts, ...people];
}

/**
 * Fills an empty data folder through the operations that everybody uses, on a clock that runs through the two months of
 * the story. Enrolling needs an open outbound gate: it is open for the story alone, and nothing is sent by it.
 */
export async function fillDemo(config: Config, log: Log): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let now = workday(today, FIRST_DAY);
  // The story works on the items of the shipped catalog, and with every gate open: nothing leaves by it.
  const open = { outboundGate: "open", socialnetExecution: "on", checklistCatalog: undefined } as const;
  const core = await openCore({ ...config, ...open }, log, { clock: { now: () => now++ } });
  const known = new Map<string, Made>();
  const cast: Cast = {
    id: (name) => known.get(name)?.id ?? fail(`The story knows nobody called ${name}.`),
    lease: (name) => known.get(name)?.leaseToken ?? fail(`The story knows no lease called ${name}.`),
    before: (minutes) => new Date(now - minutes * 60_000).toISOString(),
    date: (days) => new Date(days < 0 ? workday(today, -days) : today + days * DAY_MS).toISOString().slice(0, 10),
  };
  let workspaceId = "";
  const play = async (operation: string, input: unknown, agent?: Agent): Promise<Made> => {
    const answer = await (agent !== undefined
      ? callAsAgent(core, operation, input, agent, { workspaceId, cast })
      : callAsOperator(core, operation, workspaceId, input));
    if (answer.refusal !== undefined) throw answer.refusal;
    return (JSON.parse(answer.body) as { data: Made }).data;
  };
  try {
    workspaceId = (await play("create_workspace", { name: DEMO_WORKSPACE })).id;
    const acts = inOrder([...arrivals(), ...STORY, ...OUTREACH, ...SOCIALNET, ...SOCIAL, ...SERVED], today);
    for (const act of acts) {
      now = Math.max(now, act.at);
      if ("serve" in act) await act.serve(core, workspaceId, cast, () => now);
      else {
        const made = await play(act.operation, act.input(cast), act.byAgent);
        if (act.as !== undefined) known.set(act.as, made);
      }
    }
  } finally {
    await core.close();
  }
}

function inOrder<T extends Pick<Act, "ago" | "time">>(acts: readonly T[], today: number): (T & { at: number })[] {
  const timed = acts.map((act) => {
    const [hours = 0, minutes = 0] = act.time.split(":").map(Number);
    return { ...act, at: workday(today, act.ago) + (hours * 60 + minutes) * 60_000 };
  });
  return timed.sort((a, b) => a.at - b.at);
}

/** The working day so many before today: nobody of this team works at weekends. */
function workday(today: number, ago: number): number {
  let day = today;
  for (let left = ago; left > 0; ) {
    day -= DAY_MS;
    if (new Date(day).getUTCDay() % 6 !== 0) left -= 1;
  }
  return day;
}

function fail(message: string): never {
  throw new Error(message);
}

/**
 * Whether all that this server holds is what `fillDemo` made: its one workspace, with a colleague of the story who
 * never comes in, or with its passwordless owner. Only that is let into without a password.
 */
export async function isDemo({ workspaces, people }: Pick<Store, "workspaces" | "people">): Promise<boolean> {
  const [only, ...more] = await workspaces();
  if (only?.name !== DEMO_WORKSPACE || more.length > 0) return false;
  const owner = await people.findByEmail(DEMO_OWNER.email);
  const known = owner === undefined ? people.invited(FIRST_COLLEAGUE) : people.memberships(owner.id);
  return (await known).some(({ workspaceId }) => workspaceId === only.id);
}
