import { figure } from "../numbers.ts";
import { markdown } from "../report.ts";
import type { Panel } from "./chart.ts";

const ENGINES = ["SQLite", "PostgreSQL"] as const;
export type Engine = (typeof ENGINES)[number];

/** The state of the database and the load. */
export interface Point {
  contacts: number;
  workspaces: number;
  connections: number;
}

export type Dimension = keyof Point;

export interface GrowthRow extends Point {
  /** The name of the case. */
  name: string;
  engine: Engine;
  perSecond: number;
  p99Ms: number;
  /** CPU of Rostrum and of its database for one request. */
  cpuMicros: number;
}

/** The values that each dimension takes while the others stay at the base. */
export interface Scale {
  base: Point;
  values: Readonly<Record<Dimension, readonly number[]>>;
}

const DIMENSIONS: Readonly<Record<Dimension, string>> = {
  contacts: "contacts",
  workspaces: "workspaces",
  connections: "connections",
};

export const CASES: Readonly<Record<string, { title: string; why: string }>> = {
  get: {
    title: "GET one contact",
    why: "An index finds the row. With more contacts, the index gets a level deeper, and more pages miss the cache.",
  },
  list: {
    title: "GET a page of 25, exact total",
    why: "The page is read from the end of an index. The total is a counter that each write updates.",
  },
  query: {
    title: "Query by company, exact total",
    why: "The bench has 40,000 companies at most, so each has more contacts. Its matches are counted in an index.",
  },
  call: {
    title: "MCP tools/call get_contact",
    why: "It reads the same row as GET. The rest is the cost of the protocol, which doesn't depend on size.",
  },
  create: {
    title: "Create a contact",
    why: "Each index gets a level deeper, and more of its pages miss the cache. Requests that come together share a commit.",
  },
};

/** Every combination to measure, without repetition: first by the state of the database, then by the load. */
export function pointsOf({ base, values }: Scale): Point[] {
  const points = [
    base,
    ...(Object.keys(DIMENSIONS) as Dimension[]).flatMap((dimension) =>
      values[dimension].map((value) => ({ ...base, [dimension]: value })),
    ),
  ];
  const unique = new Map(points.map((point) => [keyOf(point), point]));
  return [...unique.values()].sort(
    (a, b) => a.contacts - b.contacts || a.workspaces - b.workspaces || a.connections - b.connections,
  );
}

export const keyOf = ({ contacts, workspaces, connections }: Point) => `${contacts} ${workspaces} ${connections}`;

/** The rows in which only one dimension differs from the base, in its order. */
function along(
  rows: readonly GrowthRow[],
  { base }: Scale,
  dimension: Dimension,
  name: string,
  engine: Engine,
): GrowthRow[] {
  const others = (Object.keys(DIMENSIONS) as Dimension[]).filter((other) => other !== dimension);
  return rows
    .filter((row) => row.name === name && row.engine === engine && others.every((other) => row[other] === base[other]))
    .sort((a, b) => a[dimension] - b[dimension]);
}

/** The panels of a case's chart: one for each dimension. */
export function panelsOf(rows: readonly GrowthRow[], scale: Scale, name: string): Panel[] {
  return (Object.keys(DIMENSIONS) as Dimension[]).map((dimension) => ({
    title: DIMENSIONS[dimension],
    lines: ENGINES.map((engine) => ({
      name: engine,
      points: along(rows, scale, dimension, name, engine).map((row) => ({ x: row[dimension], y: row.cpuMicros })),
    })),
  }));
}

type Shown = "cpuMicros" | "perSecond" | "p99Ms";
const SHOWN: Readonly<Record<Shown, string>> = {
  cpuMicros: "CPU µs per request",
  perSecond: "requests/s",
  p99Ms: "p99 ms",
};

/** One figure of every case along a dimension. */
export function growthTable(rows: readonly GrowthRow[], scale: Scale, dimension: Dimension, shown: Shown): string {
  const values = [...new Set([...scale.values[dimension], scale.base[dimension]])].sort((a, b) => a - b);
  return markdown(
    [
      `${capital(SHOWN[shown])} by ${DIMENSIONS[dimension]}`,
      "Engine",
      ...values.map((value) => value.toLocaleString("en-US")),
    ],
    namesOf(rows).flatMap((name) =>
      ENGINES.map((engine, i) => {
        const found = along(rows, scale, dimension, name, engine);
        const cell = (value: number) => {
          const row = found.find((measured) => measured[dimension] === value);
          return row === undefined ? "" : figure(row[shown]);
        };
        return [i === 0 ? titleOf(name) : "", engine, ...values.map(cell)];
      }),
    ),
  );
}

/** How many times as much CPU a request takes at the largest size as at the smallest, and why. */
export function reasonsTable(rows: readonly GrowthRow[], scale: Scale): string {
  const sizes = scale.values.contacts;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map((size) => size.toLocaleString("en-US"));
  const caption = `A request's CPU with ${most} contacts, compared with ${least}:`;
  const table = markdown(
    ["Case", ...ENGINES, "What grows"],
    namesOf(rows).map((name) => {
      const times = ENGINES.map((engine) => {
        const found = along(rows, scale, "contacts", name, engine);
        const [first, last] = [found[0], found.at(-1)];
        return first === undefined || last === undefined ? "" : `× ${figure(last.cpuMicros / first.cpuMicros)}`;
      });
      return [titleOf(name), ...times, CASES[name]?.why ?? ""];
    }),
  );
  return `${caption}\n\n${table}`;
}

const namesOf = (rows: readonly GrowthRow[]) =>
  Object.keys(CASES).filter((name) => rows.some((row) => row.name === name));
const titleOf = (name: string) => CASES[name]?.title ?? name;
const capital = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;
