import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, RESULTS } from "../build.ts";
import { casesFor, sampleOf } from "../cases.ts";
import { Child } from "../child.ts";
import { type Contender, type Pace, takeTurns } from "../measure.ts";
import { figure } from "../numbers.ts";
import { copyOf, type Seed } from "../seed.ts";
import { checkAnswer } from "./check.ts";
import { directusServers } from "./directus.ts";
import { install } from "./install.ts";
import { asking, fastmcpServers, guideServers } from "./mcp.ts";
import type { PeerServer, Question, Questions } from "./peer.ts";
import { type PeerCase, rowsOf, TITLES } from "./report.ts";
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
  const kept = openProgress(JSON.stringify([seed.folder, pace, buildHash()]));
  const planned = names.flatMap((name) => PLANS[name].questions.map((question) => ({ name, question })));
  const failed: string[] = [];
  for (const name of names) {
    const left = PLANS[name].questions.filter((question) => kept.find(name, question) === undefined);
    if (left.length === 0) {
      say(`${name}: already measured.`);
      continue;
    }
    try {
      await measureProduct(seed, name, left, pace, folder, say, (measured) => {
        kept.add(measured);
        say(`${kept.count(planned)} of ${planned.length} cases measured.`);
      });
    } catch (error) {
      say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
      failed.push(name);
    }
  }
  const cases = planned.flatMap(({ name, question }) => kept.find(name, question) ?? []);
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
      say(`${TITLES[question]}: ${contenders.map((contender) => contender.name).join(", ")} …`);
      const rows = rowsOf(contenders, bytes, await takeTurns(contenders, pace));
      for (const { server, perSecond } of rows) say(`  ${server}: ${figure(perSecond)} requests/s`);
      done({ product: name, question, rows });
    }
  } finally {
    for (const child of children) await child.stop();
    rmSync(join(RESULTS, "work"), { recursive: true, force: true });
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

/** Hash of what is measured. */
function buildHash(): string {
  const hash = createHash("sha256");
  const files = readdirSync(BUILD, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(BUILD, name)));
  return hash.digest("hex");
}

interface Progress {
  find(product: PeerName, question: Question): PeerCase | undefined;
  count(planned: readonly { name: PeerName; question: Question }[]): number;
  add(measured: PeerCase): void;
  clear(): void;
}

/** The cases measured by runs with the same settings that were interrupted. */
function openProgress(settings: string): Progress {
  const folder = join(RESULTS, "peers");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${createHash("sha256").update(settings).digest("hex").slice(0, 12)}.json`);
  let cases = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as PeerCase[]) : [];
  const find = (product: PeerName, question: Question) =>
    cases.find((measured) => measured.product === product && measured.question === question);
  return {
    find,
    count: (planned) => planned.filter(({ name, question }) => find(name, question) !== undefined).length,
    add: (measured) => {
      cases = [...cases, measured];
      writeFileSync(file, `${JSON.stringify(cases, null, 2)}\n`);
    },
    clear: () => rmSync(file, { force: true }),
  };
}
