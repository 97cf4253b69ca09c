/** @jsxRuntime automatic @jsxImportSource preact */
import { inWords } from "../../names.ts";

type Snapshot = Record<string, unknown> | null;

/** What changed in a word, and each field a click away. */
export function Change({ before, after }: { before: Snapshot; after: Snapshot }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return (
    <details class="more">
      <summary>{inShort(before, after, fields)}</summary>
      <dl class="facts small">
        {fields.map((name) => (
          <>
            <dt>{inWords(name)}</dt>
            <dd>
              {before !== null && <del>{show(name, before[name])}</del>}{" "}
              {after !== null && <span>{show(name, after[name])}</span>}
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

function inShort(before: Snapshot, after: Snapshot, fields: readonly string[]): string {
  if (before === null) return "New";
  if (after === null) return "Deleted";
  if (fields.includes("status")) return `${show("status", before.status)} → ${show("status", after.status)}`;
  return fields.map(inWords).join(", ") || "Nothing";
}

/** Fields that hold a code, which is told in words; what people wrote is told as they wrote it. */
const CODES = new Set(["status", "outcome", "move", "role", "state", "automation_mode", "held_reason", "held_from"]);

function show(name: string, value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "string") return JSON.stringify(value);
  return CODES.has(name) ? inWords(value) : value;
}
