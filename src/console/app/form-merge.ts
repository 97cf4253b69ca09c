import { createHash } from "node:crypto";
import { type Problem, problem } from "../../core/problem.ts";
import type { Typed } from "./form-data.ts";

/** What the fields of a form held when they were drawn, by their full names, as the form would send it. */
export type Seen = Map<string, readonly string[]>;

/** The field that tells of it. */
export const SEEN = "_seen";

/** For the form itself: of each field a fingerprint, so that a page with long texts does not carry them twice. */
export function writeSeen(seen: Seen): string {
  return JSON.stringify(Object.fromEntries([...seen].map(([name, values]) => [name, fingerprint(values)])));
}

/**
 * A form that was drawn before somebody else saved. What only they changed is put in, as if the form had been drawn
 * after it; rows of a list stand and fall together, since they have no names of their own. Answers the form to be done.
 *
 * @throws Problem validation_failed for a field that both have changed
 */
export function withOthersChanges(form: Typed, now: Seen): Typed {
  const before = readSeen(form.get(SEEN)?.[0]);
  const merged = new Map(form);
  for (const root of new Set([...Object.keys(before), ...now.keys()].map(rootOf))) {
    const names = [...new Set([...Object.keys(before), ...now.keys(), ...form.keys()])].filter(
      (name) => rootOf(name) === root,
    );
    const then = (name: string) => before[name] ?? "";
    const theirs = names.some((name) => printed(now.get(name)) !== then(name));
    if (!theirs) continue;
    if (names.every((name) => printed(form.get(name)) === printed(now.get(name)))) continue;
    if (names.some((name) => printed(form.get(name)) !== then(name))) throw changedByBoth(names, now);
    for (const name of names) {
      const values = now.get(name);
      if (values === undefined) merged.delete(name);
      else merged.set(name, values);
    }
  }
  return merged;
}

function changedByBoth(names: readonly string[], now: Seen): Problem {
  const [name = ""] = names;
  const [text = ""] = names.length === 1 ? (now.get(name) ?? []) : [];
  const shown = text.length > 0 && text.length <= 200 ? `, to “${text}”` : "";
  return problem(
    "validation_failed",
    `${name.replace(/:\w+$/, "")}: was changed by somebody else meanwhile${shown}. Send it again to put yours in its place.`,
  );
}

/** `windows.0.from` is a part of windows. */
const rootOf = (name: string) => name.replace(/[.:].*$/s, "");

function readSeen(text: string | undefined): Record<string, string> {
  try {
    const read: unknown = JSON.parse(text ?? "");
    const entries = typeof read === "object" && read !== null ? Object.entries(read) : [];
    return Object.fromEntries(entries.filter(([, print]) => typeof print === "string"));
  } catch {
    return {};
  }
}

const printed = (values: readonly string[] | undefined) => (values === undefined ? "" : fingerprint(values));

function fingerprint(values: readonly string[]): string {
  const text = JSON.stringify(values.map((value) => value.replaceAll("\r\n", "\n")));
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
