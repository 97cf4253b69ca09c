import { readFileSync } from "node:fs";
import { LineCounter, type Node, parseDocument } from "yaml";
import { z } from "zod";
import { openCore } from "../../composition/core.ts";
import type { Config } from "../../config.ts";
import type { Actor } from "../../core/actor.ts";
import { recognizedScopes } from "../../domain/access/roles.ts";
import type { Log } from "../../lib/log.ts";
import { packageFile } from "../../lib/package.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";
import { DEMO_OWNER } from "../../services/access/links.ts";
import type { Store } from "../../store/store.ts";
import { Key } from "../../tools/access/key-schema.ts";
import { Member } from "../../tools/access/member-schema.ts";
import { callAsOperator, findOperation } from "../operator.ts";
import { type Made, STEPS, type Stage } from "./steps.ts";

const FILE = packageFile("src/cli/demo/demo.yaml");

const DEMO_WORKSPACE = "demo";
/** A member whom the story invites. Their presence identifies a demo workspace. */
const FIRST_COLLEAGUE = "tomoko@rostrum.example";

/** Working days before today, as a number below zero. */
const Day = z.int().max(0);
const Name = z.string().regex(/^[a-z_]+$/, "must be lowercase letters and underscores");

const Act = z.strictObject({
  at: z.string().regex(/^(0|-\d+) \d{1,2}:\d\d$/, "must be a day and a time, as in -38 9:10"),
  as: Name.optional(),
  do: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
  save: Name.optional(),
});
type Act = z.infer<typeof Act>;

const Company = z.strictObject({
  name: z.string(),
  website: z.url(),
  arrives: Day,
  people: z.record(
    Name,
    z.strictObject({
      first_name: z.string(),
      last_name: z.string(),
      job_title: z.string(),
      phone: z.string().optional(),
      email: z.email(),
      socialnet_url: z.url(),
      tags: z.array(z.string()),
    }),
  ),
});

const Demo = z.strictObject({ begins: Day, companies: z.array(Company), acts: z.array(Act) });
type Demo = z.infer<typeof Demo>;

/** An act, and the line of the file that it comes from. */
type Played = Act & { line: number };

/**
 * Fills an empty data folder from `demo.yaml`, through the same operations that users call, with a clock that runs
 * through the two months of the story.
 *
 * @throws Error that names the line of the file where an act failed
 */
export async function fillDemo(config: Config, log: Log): Promise<void> {
  const { begins, acts } = readDemo();
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let now = workday(today, -begins);
  // The story works on the items of the shipped catalog, and with every gate open: nothing is sent by it.
  const open = { outboundGate: "open", socialnetExecution: "on", checklistCatalog: undefined } as const;
  const core = await openCore({ ...config, ...open }, log, { clock: { now: () => now++ } });
  const saved = new Map<string, Made>();
  /** When each key acted last, which sign-in records for every other caller. */
  const used = new Map<string, number>();
  const find = (name: string) => saved.get(name) ?? fail(`nothing was saved as ${name} before`);
  const stage: Stage = {
    core,
    workspaceId: "",
    now: () => now,
    wait: (ms) => {
      now += ms;
    },
    async call(operation, input, as) {
      const answer = await (as === undefined
        ? callAsOperator(core, operation, stage.workspaceId, input)
        : core.invoke(findOperation(operation), {
            caller: actorOf(as, stage.workspaceId),
            surface: "scopes" in as ? "mcp" : "console",
            requestId: "demo",
            input: () => input,
          }));
      if (answer.refusal !== undefined) throw answer.refusal;
      if (as !== undefined && "scopes" in as) used.set(as.id, now);
      return (JSON.parse(answer.body) as { data: Made }).data;
    },
  };
  try {
    // Nothing of it is meant to leave.
    await core.store.recordDefaultDelivery("files", now);
    stage.workspaceId = (await stage.call("create_workspace", { name: DEMO_WORKSPACE })).id;
    const timed = acts.map((act) => ({ ...act, time: timeOf(act.at, today) }));
    for (const { time, line, ...act } of timed.sort((a, b) => a.time - b.time)) {
      now = Math.max(now, time);
      try {
        const input = resolveReferences(act.input, { today, now, find });
        const as = act.as === undefined ? undefined : find(act.as);
        const step = STEPS[act.do];
        const made = await (step ? step(stage, input, as) : stage.call(act.do, input, as));
        if (act.save !== undefined) saved.set(act.save, made as Made);
      } catch (error) {
        throw new Error(`demo.yaml:${line}: ${act.do}: ${(error as Error).message}`, { cause: error });
      }
    }
    await core.store.recordUse(used, []);
    // The server runs already: old rows of the story are not the time it was last up.
    await core.store.recordRetention(Date.now(), undefined, Date.now());
  } finally {
    await core.close();
  }
}

/**
 * Whether all that this server holds is what `fillDemo` made: its one workspace, with a colleague of the story who
 * never signs in, or with its passwordless owner. Only a demo can be signed in to without a password.
 */
export async function isDemo({ workspaces, people }: Pick<Store, "workspaces" | "people">): Promise<boolean> {
  const [only, ...more] = await workspaces();
  if (only?.name !== DEMO_WORKSPACE || more.length > 0) return false;
  const owner = await people.findByEmail(DEMO_OWNER.email);
  const known = owner === undefined ? people.invited(FIRST_COLLEAGUE) : people.memberships(owner.id);
  return (await known).some(({ workspaceId }) => workspaceId === only.id);
}

/** @throws Error with a line for each fault of the file */
function readDemo(): { begins: number; acts: Played[] } {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(FILE, "utf8"), { lineCounter: lines, merge: true });
  if (document.errors[0] !== undefined) throw document.errors[0];
  const lineOf = (path: readonly PropertyKey[]): number => {
    const node = document.getIn(path, true) as Node | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  const { success, data, error } = Demo.safeParse(document.toJS());
  if (!success) {
    const faults = error.issues.map(({ path, message }) => `demo.yaml:${lineOf(path)}: ${path.join(".")}: ${message}`);
    throw new Error(faults.join("\n"));
  }
  const { begins, companies, acts } = data;
  const arrivals = companies.map((company, index) => ({ company, line: lineOf(["companies", index]) }));
  return {
    begins,
    acts: [
      ...arrivals.flatMap(({ company, line }) => arrive(company, begins).map((act) => ({ ...act, line }))),
      ...acts.map((act, index) => ({ ...act, line: lineOf(["acts", index]) })),
    ],
  };
}

/** A company becomes an account on the first day. Its people are added later, each linked to it. */
function arrive({ name, website, arrives, people }: Demo["companies"][number], begins: number): Act[] {
  const account = name.toLowerCase().replace(/[^a-z]+/g, "_");
  const domain = new URL(website).host;
  const at = `${arrives} 8:30`;
  const as = "luca";
  return [
    { at: `${begins} 9:30`, as, do: "create_account", input: { name, domain, website }, save: account },
    ...Object.entries(people).flatMap(([who, { tags, ...person }]) => {
      const id = `$${who}.id`;
      const tagged = { at, as, do: "add_contact_tags", input: { id, tags } };
      return [
        { at, as, do: "create_contact", input: { ...person, company: name, website }, save: who },
        { at, as, do: "update_contact", input: { id, account_id: `$${account}.id` } },
        ...(tags.length > 0 ? [tagged] : []),
      ];
    }),
  ];
}

function actorOf(made: Made, workspaceId: string): Actor {
  if (!("scopes" in made)) {
    const { id, name, role, approve_outbound: approveOutbound } = Member.parse(made);
    return { kind: "member", id, name, workspaceId, role, approveOutbound };
  }
  const { id, name, prefix, scopes, socialnet_account_id: socialnetAccountId } = Key.parse(made);
  return { kind: "key", id, name, prefix, workspaceId, scopes: new Set(recognizedScopes(scopes)), socialnetAccountId };
}

interface Scene {
  today: number;
  now: number;
  find: (name: string) => Made;
}

const REFERENCE = /\$(?:(date|minutes_ago)\((-?\d+)\)|([a-z_]+)\.(\w+))/g;

/** Replaces references in the strings of an input with what they refer to. */
function resolveReferences(value: unknown, scene: Scene): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, scene));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, scene)]));
  }
  if (typeof value !== "string") return value;
  return value.replace(REFERENCE, (_, helper: string | undefined, count: string, name: string, field: string) => {
    if (helper === undefined) return String(scene.find(name)[field] ?? fail(`${name} has no ${field}`));
    const moment = helper === "date" ? dayOf(scene.today, Number(count)) : scene.now - Number(count) * MINUTE_MS;
    const iso = new Date(moment).toISOString();
    return helper === "date" ? iso.slice(0, 10) : iso;
  });
}

/** Days ahead are those of the calendar, days before are working days. */
const dayOf = (today: number, days: number) => (days < 0 ? workday(today, -days) : today + days * DAY_MS);

function timeOf(at: string, today: number): number {
  const [day = 0, hours = 0, minutes = 0] = at.split(/[ :]/).map(Number);
  return workday(today, -day) + (hours * 60 + minutes) * MINUTE_MS;
}

/** The working day this many days before today. The team does not work on weekends. */
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
