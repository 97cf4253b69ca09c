import { type Contender, NOISY, type Round } from "../measure.ts";
import { figure, median } from "../numbers.ts";
import { markdown, type Verdict } from "../report.ts";
import type { Question } from "./peer.ts";

/** Medians of the rounds of one server. */
export interface PeerRow {
  server: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number;
  /** Of one answer's body. */
  bytes: number;
  generator: number;
  foreign: number;
  /** Rostrum's requests per second to this server's, in each round. */
  ratios: number[];
  /** The same ratio for CPU: this server's to Rostrum's. */
  cpuRatio: number;
}

/** Rostrum's row first. */
export interface PeerCase {
  product: string;
  question: Question;
  title: string;
  rows: PeerRow[];
}

const TARGETS: Readonly<Record<string, Partial<Record<Question, number>>>> = {
  "Directus, schema cached": { get: 12, list: 20, create: 18 },
  "fastmcp, in sessions": { call: 3.5, tools: 10 },
  "SDK as its guide shows": { call: 6, tools: 20 },
};

/** One more column of the table of products. */
export interface Description {
  product: string;
  version: string;
  node: string;
  /** How its server is started. */
  command: string;
  differs: string;
}

export function rowsOf(
  contenders: readonly Contender[],
  bytes: readonly number[],
  taken: ReadonlyMap<string, readonly Round[]>,
): PeerRow[] {
  const [own] = contenders.map(({ name }) => taken.get(name) ?? []);
  return contenders.map(({ name }, n) => {
    const rounds = taken.get(name) ?? [];
    const of = (figureName: keyof Round) => median(rounds.map((round) => round[figureName]));
    return {
      server: name,
      perSecond: of("perSecond"),
      p50Ms: of("p50Ms"),
      p99Ms: of("p99Ms"),
      cpuMicros: of("cpuMicros"),
      bytes: bytes[n] ?? Number.NaN,
      generator: of("generator"),
      foreign: of("foreign"),
      cpuRatio: median(rounds.map(({ cpuMicros }, i) => cpuMicros / (own?.[i]?.cpuMicros ?? Number.NaN))),
      ratios: rounds.map(({ perSecond }, i) => (own?.[i]?.perSecond ?? Number.NaN) / perSecond),
    };
  });
}

export function peersTable(cases: readonly PeerCase[]): string {
  return markdown(
    ["Case", "Server", "Requests/s", "p50 ms", "p99 ms", "CPU µs", "Body KB", "Throughput ratio", "Range", "CPU ratio"],
    cases.flatMap(({ title, rows }) =>
      rows.map(({ server, perSecond, p50Ms, p99Ms, cpuMicros, bytes, ratios, cpuRatio }, i) => [
        i === 0 ? title : "",
        server,
        ...[perSecond, p50Ms, p99Ms, cpuMicros, bytes / 1000].map(figure),
        ...(i === 0 ? ["", "", ""] : [figure(median(ratios)), rangeOf(ratios), figure(cpuRatio)]),
      ]),
    ),
  );
}

const rangeOf = (values: readonly number[]) => `${figure(Math.min(...values))}–${figure(Math.max(...values))}`;

export function descriptionsTable(descriptions: readonly Description[]): string {
  return markdown(
    ["Product", "Version", "Node", "Started with", "What it does differently"],
    descriptions.map(({ product, version, node, command, differs }) => [
      product,
      `\`${version}\``,
      `\`${node}\``,
      command,
      differs,
    ]),
  );
}

export function peersVerdicts(cases: readonly PeerCase[]): Verdict[] {
  return cases.flatMap(({ question, title, rows }) =>
    rows.flatMap(({ server, ratios }) => {
      const atLeast = TARGETS[server]?.[question];
      if (atLeast === undefined) return [];
      const ratio = median(ratios);
      return [
        {
          what: title,
          found: `${figure(ratio)} × ${server}`,
          target: `at least ${figure(atLeast)}`,
          met: ratio >= atLeast,
        },
      ];
    }),
  );
}

/** Above this share of a core, the generator may have been measured instead. */
const SATURATED = 0.9;

/** What makes a measurement doubtful. */
export function peersDoubts(cases: readonly PeerCase[]): string[] {
  return cases.flatMap(({ title, rows }) =>
    rows.flatMap(({ server, generator, foreign }) => [
      ...(generator > SATURATED
        ? [`${title}, ${server}: the generator used ${figure(generator * 100)}% of a core`]
        : []),
      ...(foreign > NOISY ? [`${title}, ${server}: other programs used ${figure(foreign * 100)}% of the machine`] : []),
    ]),
  );
}
