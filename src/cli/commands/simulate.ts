import { stringify } from "csv-stringify/sync";
import { problem } from "../../core/problem.ts";
import { isSkipped } from "../../domain/outreach/simulate.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import { UsageError } from "../../lib/operator-error.ts";
import { callAsOperator, dataAsOperator } from "../operator.ts";
import { type DataOptions, print } from "../terminal.ts";
import { findWorkspace, withCore } from "../with-core.ts";

interface SimulateOptions extends DataOptions {
  workspace?: string;
  contacts: string;
  days: string;
  csv?: boolean;
}

interface Simulated {
  name: string;
  from: string;
  days: number;
  contacts: number;
  events: { at: string; contact: string; step: number; type: string; what: string }[];
}

const COLUMNS = ["at", "contact", "step", "type", "what"] as const;
const HEADERS = ["When", "Contact", "Step", "Event", "Message"];
/** The console's words for the types of an event. */
const EVENTS: Record<string, string> = {
  email: "Email",
  socialnet_connect: "Connection request",
  socialnet_message: "Social message",
  held: "On hold",
  completed: "Finished",
};
const SOCIAL_NOTE =
  "Social steps are listed at the time when they become due. The sending hours and daily limits of the social account can delay them.";
const NO_CONTACTS = "The workspace has no contacts to simulate. Add or import some first.";
const NO_STEPS = "No step is due in this period. Use a larger number in --days.";
const MAX_SEQUENCES = 100;

/** `rostrum simulate`: what a sequence would send, and when, if it began now. Nothing is sent, nothing is written. */
export async function simulate(sequence: string, options: SimulateOptions): Promise<void> {
  await withCore(options, async (core) => {
    const workspaceId = await findWorkspace(core, options);
    const listed = await dataAsOperator(core, "list_sequences", workspaceId, { limit: MAX_SEQUENCES });
    if (listed.refusal !== undefined) throw listed.refusal;
    const sequences = listed.data as { id: string; name: string }[];
    const input = {
      sequence_id: findSequence(sequences, sequence),
      contacts: wholeNumber("--contacts", options.contacts),
      days: wholeNumber("--days", options.days),
    };
    const answer = await callAsOperator(core, "simulate_sequence", workspaceId, input);
    print(answer, options, options.csv ? toCsv : toTable, { contacts: "--contacts", days: "--days" });
  });
}

function findSequence(sequences: { id: string; name: string }[], given: string): string {
  const named = sequences.filter(({ id, name }) => id === given.toLowerCase() || name === given);
  if (named.length === 1 && named[0] !== undefined) return named[0].id;
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(", ");
    throw new UsageError(`${named.length} sequences are named "${given}". Use the ID of one: ${ids}.`);
  }
  // A sequence beyond the newest hundred is found only by its id. The operation refuses an unknown one.
  if (/^[\da-f-]{36}$/i.test(given)) return given;
  const known = sequences.map(({ id, name }) => `${name} (${id})`).join(", ") || "none yet";
  throw problem("sequence_not_found", `Unknown sequence "${given}". Available sequences: ${known}.`);
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} must be a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Steps are numbered from 1 where people read them. The end is no step. */
function rowsOf({ events }: Simulated): string[][] {
  return events.map(({ at, contact, step, type, what }) => [
    at.slice(0, 16).replace("T", " "),
    contact,
    type === "completed" ? "" : String(step + 1),
    type,
    what,
  ]);
}

/** Cells that a spreadsheet would take for formulas are marked as text. */
function toCsv(simulated: Simulated): string {
  return stringify(rowsOf(simulated), { header: true, columns: [...COLUMNS], escape_formulas: true }).trimEnd();
}

const TYPE = COLUMNS.indexOf("type");
const typeLabel = (event: Simulated["events"][number]) =>
  isSkipped(event) ? "Skipped" : (EVENTS[event.type] ?? event.type);

function toTable(simulated: Simulated): string {
  const { name, from, days, contacts } = simulated;
  const shown = rowsOf(simulated).map((row, i) =>
    row.with(TYPE, typeLabel(simulated.events[i] as Simulated["events"][number])).map(onOneLine),
  );
  const rows = [HEADERS, ...shown];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const head = `${onOneLine(name)}: ${counted(contacts, "contact")} over ${counted(days, "day")} from ${from.slice(0, 16).replace("T", " ")} UTC. Nothing is sent.`;
  const isSocial = simulated.events.some(({ type }) => type.startsWith("socialnet_"));
  if (shown.length === 0) return [head, "", contacts === 0 ? NO_CONTACTS : NO_STEPS].join("\n");
  return [head, ...(isSocial ? [SOCIAL_NOTE] : []), "", ...lines].join("\n");
}

/** What contacts are called may hold what a terminal obeys. */
function onOneLine(text: string): string {
  const line = text.replaceAll(/[\r\n\t]+/g, " ");
  return revealHidden(line) ?? line;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
