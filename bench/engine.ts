import { rmSync } from "node:fs";
import { join } from "node:path";
import { RESULTS } from "./build.ts";
import { Child } from "./child.ts";
import { figure, median } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";

export interface EngineFigures {
  /** Steps that send no message. */
  stepsPerSecond: number;
  /** Growth of resident memory during the run, in bytes. */
  grown: number;
  idleMs: number;
  lettersPerSecond: number;
  letterCpuMicros: number;
}

/** Active enrollments, those due in the first measure, and emails due in the second: as many are sent before, to warm up. */
const ACTIVE = 100_000;
const DUE = 10_000;
const LETTERS = 5_000;

const LETTERS_PER_SECOND = 200;
const LETTER_CPU_BELOW_MICROS = 1_500;
const IDLE_BELOW_MS = 5;
const GROWN_BELOW_MB = 50;
const MB = 1024 * 1024;

/** Speed of the engine on a database with many enrollments: steps a second, a run with nothing due, and emails. */
export async function measureEngine(rounds: number, profiles: string | undefined): Promise<EngineFigures> {
  const sink = await Child.start("mail-sink", []);
  const measured: EngineFigures[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const folder = join(RESULTS, "work", "engine");
      rmSync(folder, { recursive: true, force: true });
      const sizes = [ACTIVE, DUE, LETTERS].map(String);
      const engine = await Child.start("rostrum-engine", [folder, String(sink.port), ...sizes], profiles);
      const { perSecond, before, after, idleMs } = await engine.ask("steps");
      await sink.ask("received");
      const letters = await engine.ask("letters");
      const { count } = await sink.ask("received");
      await engine.stop();
      if (count !== 2 * LETTERS) throw new Error(`${2 * LETTERS} messages were due, ${count} received.`);
      measured.push({
        stepsPerSecond: perSecond,
        grown: after - before,
        idleMs,
        lettersPerSecond: letters.perSecond,
        letterCpuMicros: letters.cpuMicros,
      });
    }
  } finally {
    await sink.stop();
  }
  const of = (name: keyof EngineFigures) => median(measured.map((figures) => figures[name]));
  return {
    stepsPerSecond: of("stepsPerSecond"),
    grown: of("grown"),
    idleMs: of("idleMs"),
    lettersPerSecond: of("lettersPerSecond"),
    letterCpuMicros: of("letterCpuMicros"),
  };
}

export function engineTable(figures: EngineFigures): string {
  const { stepsPerSecond, grown, idleMs, lettersPerSecond, letterCpuMicros } = figures;
  return markdown(
    ["Engine, 100,000 active enrollments", "Result"],
    [
      [`Steps per second, ${figure(DUE)} due at once`, figure(stepsPerSecond)],
      ["Memory added by these steps", `${figure(grown / MB)} MB`],
      ["One check when nothing is due", `${figure(idleMs)} ms`],
      [`Emails per second, ${figure(LETTERS)} due at once, from the database to one server`, figure(lettersPerSecond)],
      ["CPU per email", `${figure(letterCpuMicros)} µs`],
    ],
  );
}

export function engineVerdicts({ grown, idleMs, lettersPerSecond, letterCpuMicros }: EngineFigures): Verdict[] {
  return [
    {
      what: "One engine check of 100,000 enrollments, nothing due",
      found: `${figure(idleMs)} ms`,
      target: `below ${IDLE_BELOW_MS} ms`,
      met: idleMs < IDLE_BELOW_MS,
    },
    {
      what: "Sequence emails per second, all due at once",
      found: figure(lettersPerSecond),
      target: `at least ${LETTERS_PER_SECOND}`,
      met: lettersPerSecond >= LETTERS_PER_SECOND,
    },
    {
      what: "CPU per sequence email",
      found: `${figure(letterCpuMicros)} µs`,
      target: `below ${figure(LETTER_CPU_BELOW_MICROS)} µs`,
      met: letterCpuMicros < LETTER_CPU_BELOW_MICROS,
    },
    {
      what: `Memory added by ${figure(DUE)} steps`,
      found: `${figure(grown / MB)} MB`,
      target: `below ${GROWN_BELOW_MB} MB`,
      met: grown < GROWN_BELOW_MB * MB,
    },
  ];
}
