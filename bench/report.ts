import type { Case, Target } from "./cases.ts";
import { type Measured, NOISY } from "./measure.ts";
import { figure } from "./numbers.ts";

export interface CaseResult {
  tested: Pick<Case, "name" | "title" | "targets">;
  measured: Measured[];
}

export interface Verdict {
  what: string;
  found: string;
  target: string;
  met: boolean;
}

/** Above this share of a core, the generator may have been measured instead. */
const SATURATED = 0.9;

export function verdictsOf({ tested, measured }: CaseResult): Verdict[] {
  return tested.targets.map((target) => verdictOf(tested.title, target, measured));
}

function verdictOf(what: string, target: Target, measured: readonly Measured[]): Verdict {
  if ("cpuBelow" in target) {
    const cpu = measured[0]?.cpuMicros ?? Number.NaN;
    return {
      what,
      found: `${figure(cpu)} µs of CPU`,
      target: `below ${figure(target.cpuBelow)} µs`,
      met: cpu < target.cpuBelow,
    };
  }
  const ratio = measured.find(({ server }) => server === target.against)?.ratio ?? Number.NaN;
  return {
    what,
    found: `${figure(ratio)} × ${target.against}`,
    target: `at least ${figure(target.atLeast)}`,
    met: ratio >= target.atLeast,
  };
}

export function casesTable(results: readonly CaseResult[]): string {
  return markdown(
    ["Case", "Server", "Requests/s", "p50 ms", "p99 ms", "CPU µs", "Heap KB", "Throughput ratio", "CPU ratio"],
    results.flatMap(({ tested, measured }) =>
      measured.map((row, i) => [
        i === 0 ? tested.title : "",
        row.server,
        figure(row.perSecond),
        figure(row.p50Ms),
        figure(row.p99Ms),
        figure(row.cpuMicros),
        Number.isFinite(row.allocated) ? figure(row.allocated / 1000) : "",
        i === 0 ? "" : figure(row.ratio),
        i === 0 ? "" : figure(row.cpuRatio),
      ]),
    ),
  );
}

export function verdictsTable(verdicts: readonly Verdict[]): string {
  return markdown(
    ["Measurement", "Result", "Target", ""],
    verdicts.map(({ what, found, target, met }) => [what, found, target, met ? "met" : "**missed**"]),
  );
}

/** What makes a measurement doubtful. */
export function doubts(results: readonly CaseResult[]): string[] {
  return results.flatMap(({ tested, measured }) =>
    measured.flatMap(({ server, generator, foreign, changed }) => [
      ...(changed ? [`${tested.name}: the two commits answer differently, so their work is not the same`] : []),
      ...(generator > SATURATED
        ? [`${tested.name}, ${server}: the generator used ${figure(generator * 100)} % of a core`]
        : []),
      ...(foreign > NOISY
        ? [`${tested.name}, ${server}: other programs used ${figure(foreign * 100)} % of the machine`]
        : []),
    ]),
  );
}

export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const right = (i: number) => rows.every((row) => /^[\d.,]*$/.test(row[i] ?? ""));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (right(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, i) => (right(i) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
