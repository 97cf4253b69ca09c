import { rmSync } from "node:fs";
import { join } from "node:path";
import { RESULTS } from "../build.ts";
import { casesFor, EARLIER_PROTOCOL, PROTOCOL, sampleOf } from "../cases.ts";
import { Child } from "../child.ts";
import { type Contender, type Pace, takeTurns } from "../measure.ts";
import { figure } from "../numbers.ts";
import { openProgress } from "../progress.ts";
import { copyOf, type Seed } from "../seed.ts";
import { checkAnswer } from "./check.ts";
import { directusServers } from "./directus.ts";
import { install, PRODUCTS } from "./install.ts";
import { asking, fastmcpServers, guideServers } from "./mcp.ts";
import type { PeerServer, Question, Questions } from "./peer.ts";
import { type PeerCase, rowsOf } from "./report.ts";
import { strapiServers } from "./strapi.ts";

type Say = (text: string) => void;

interface Plan {
  questions: readonly Question[];
  servers(seed: Seed, folder: string, say: Say): Promise<PeerServer[]>;
  /** Whether it speaks the newest version of MCP. */
  modern: boolean;
}

const PLANS = {
  directus: {
    questions: ["get", "list", "create", "call", "tools"],
    servers: async (seed, folder, say) => directusServers(await install("directus", folder, say), seed),
    modern: false,
  },
  strapi: {
    questions: ["get", "list", "create"],
    servers: async (seed, folder, say) => strapiServers(await install("strapi", folder, say), seed),
    modern: false,
  },
  fastmcp: {
    questions: ["call", "tools"],
    servers: async (seed, folder, say) => fastmcpServers(await install("fastmcp", folder, say), seed),
    modern: false,
  },
  guide: { questions: ["call", "tools"], servers: async (seed) => guideServers(seed), modern: true },
} as const satisfies Record<string, Plan>;

export type PeerName = keyof typeof PLANS;
export const PEERS = Object.keys(PLANS) as readonly PeerName[];

/**
 * Measures Rostrum beside each product. What is measured is kept, so that a run that was interrupted continues where it
 * stopped, as long as nothing has changed.
 *
 * @throws at the end, if a product couldn't be measured
 */
export async function measurePeers(
  seed: Seed,
  names: readonly PeerName[],
  pace: Pace,
  folder: string,
  say: Say,
): Promise<PeerCase[]> {
  const kept = openProgress<PeerCase>("peers", [seed.folder, pace, PRODUCTS]);
  const keyOf = (name: PeerName, question: Question) => `${name} ${question}`;
  const planned = names.flatMap((name) => PLANS[name].questions.map((question) => ({ name, question })));
  const failed: string[] = [];
  for (const name of names) {
    const left = PLANS[name].questions.filter((question) => kept.find(keyOf(name, question)) === undefined);
    if (left.length === 0) {
      say(`${name}: already measured.`);
      continue;
    }
    try {
      await measureProduct(seed, name, left, pace, folder, say, (measured) => {
        kept.add(keyOf(name, measured.question), measured);
        const done = planned.filter(({ name, question }) => kept.find(keyOf(name, question)) !== undefined);
        say(`${done.length} of ${planned.length} cases measured.`);
      });
    } catch (error) {
      say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
      failed.push(name);
    }
  }
  const cases = planned.flatMap(({ name, question }) => kept.find(keyOf(name, question)) ?? []);
  if (failed.length > 0) process.exitCode = 1;
  else kept.clear();
  return cases;
}

async function measureProduct(
  seed: Seed,
  name: PeerName,
  questions: readonly Question[],
  pace: Pace,
  folder: string,
  say: Say,
  done: (measured: PeerCase) => void,
): Promise<void> {
  const plan: Plan = PLANS[name];
  const servers = await plan.servers(seed, folder, say);
  const sample = sampleOf(seed);
  const children: Child[] = [];
  try {
    say(`Starting ${servers.map((server) => server.name).join(", ")} …`);
    const asked: { server: string; child: Child; questions: Questions }[] = [];
    const own = await Child.start("rostrum", [copyOf(seed, "rostrum")]);
    children.push(own);
    asked.push({ server: "rostrum", child: own, questions: ownQuestions(seed, plan.modern) });
    for (const [n, server] of servers.entries()) {
      const child = await server.start(join(RESULTS, "work", `${name}-${n}`));
      children.push(child);
      asked.push({ server: server.name, child, questions: await server.questions(sample, child.port) });
    }
    for (const question of questions) {
      const contenders: Contender[] = asked.map(({ server, child, questions }) => {
        const next = questions[question];
        if (next === undefined) throw new Error(`${server} isn't asked ${question}.`);
        return { name: server, child, next };
      });
      const live = Math.floor(seed.contacts * LIVE);
      const bytes: number[] = [];
      for (const { name, child, next } of contenders) {
        bytes.push(await checkAnswer(name, question, next, child.serves[0] as number, live));
      }
      const title = titleOf(question, plan.modern);
      say(`${title}: ${contenders.map((contender) => contender.name).join(", ")} …`);
      const rows = rowsOf(contenders, bytes, await takeTurns(contenders, pace));
      for (const { server, perSecond } of rows) say(`  ${server}: ${figure(perSecond)} requests/s`);
      done({ product: name, question, title, rows });
    }
  } finally {
    for (const child of children) await child.stop();
    rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  }
}

function titleOf(question: Question, modern: boolean): string {
  const protocol = modern ? PROTOCOL : EARLIER_PROTOCOL;
  switch (question) {
    case "get":
      return "GET one contact";
    case "list":
      return "GET a page of 25, exact total";
    case "create":
      return "Create a contact";
    case "call":
      return `MCP tools/call of one contact, ${protocol}`;
    case "tools":
      return `MCP tools/list, ${protocol}`;
  }
}

/** About nine in ten contacts are live, and Rostrum counts these. */
const LIVE = 0.85;

function ownQuestions(seed: Seed, modern: boolean): Questions {
  const cases = casesFor(seed);
  const of = (name: string) => {
    const found = cases.find((tested) => tested.name === name);
    return found === undefined ? {} : { [name]: found.next };
  };
  return { ...of("get"), ...of("list"), ...of("create"), ...asking(sampleOf(seed), [{ key: seed.key, modern }]) };
}
