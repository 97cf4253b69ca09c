import { hash } from "node:crypto";
import { invalid, type Problem } from "../../core/problem.ts";
import type { Typed } from "./form-data.ts";

/** The values of a form's fields when it was rendered, by full name, as the form would send them. */
export type FormSnapshot = Map<string, readonly string[]>;

/** A form of a page, and the record that it is about. */
export interface RenderedForm {
  snapshot: FormSnapshot;
  /** The label of what each list of choices held, by full name. */
  choiceLabels: ReadonlyMap<string, string>;
  /** The ids in its hidden fields, by full name. */
  ids: ReadonlyMap<string, string>;
}

/** Whether a submitted form is about the same record. The page may have another record in the same form by now. */
export function isAboutSame({ ids }: Pick<RenderedForm, "ids">, form: Typed): boolean {
  return [...ids].every(([name, id]) => form.get(name)?.includes(id) ?? true);
}

/** The hidden field that carries the snapshot. */
export const SNAPSHOT_FIELD = "_seen";

/** The text of the hidden field: a fingerprint for each field, so that long texts are not on the page twice. */
export function writeSnapshot(snapshot: FormSnapshot): string {
  return JSON.stringify(Object.fromEntries([...snapshot].map(([name, values]) => [name, fingerprint(values)])));
}

interface MergeOptions {
  /** The member confirms what they read, so no newer value replaces it. */
  confirms?: boolean;
  /** The operation leaves alone what it isn't given. */
  isPartial?: boolean;
  /** The labels of what lists of choices hold now, by full name. */
  choiceLabels?: ReadonlyMap<string, string>;
}

interface MergedForm {
  /** The form to run, or, after a conflict, to show again. */
  form: Typed;
  /** Names each field that both changed, or that a teammate changed if the form confirms it. */
  conflict?: Problem;
  /** Whether there is nothing to run: the sender changed no field, and the operation leaves alone what it isn't given. */
  isUnchanged: boolean;
}

/**
 * Merges a form with what a teammate saved after it was rendered: fields that only they changed take their values. Where
 * the operation allows it, fields that the sender did not change are left out instead, since what is written counts as
 * theirs. Rows of a list are merged together, because they have no names of their own.
 */
export function mergeForm(
  form: Typed,
  now: FormSnapshot,
  { confirms, isPartial = false, choiceLabels = new Map() }: MergeOptions = {},
): MergedForm {
  const before = readSnapshot(form.get(SNAPSHOT_FIELD)?.[0]);
  const merged = new Map(form);
  const unchanged: string[] = [];
  const conflicts: string[] = [];
  const shown = new Set([...Object.keys(before), ...now.keys()]);
  const byRoot = new Map([...shown].map((name) => [rootOf(name), [] as string[]]));
  for (const name of new Set([...shown, ...form.keys()])) byRoot.get(rootOf(name))?.push(name);
  for (const names of byRoot.values()) {
    const then = (name: string) => before[name] ?? "";
    const changedBySender = names.some((name) => fingerprintOrEmpty(form.get(name)) !== then(name));
    if (!changedBySender) unchanged.push(...names);
    const changedByOthers = names.some((name) => fingerprintOrEmpty(now.get(name)) !== then(name));
    if (!changedByOthers) continue;
    if (names.every((name) => fingerprintOrEmpty(form.get(name)) === fingerprintOrEmpty(now.get(name)))) continue;
    if (changedBySender || confirms) {
      conflicts.push(conflictText(names, now, choiceLabels));
      continue;
    }
    for (const name of names) {
      const values = now.get(name);
      if (values === undefined) merged.delete(name);
      else merged.set(name, values);
    }
  }
  if (conflicts.length > 0) return { form: merged, conflict: invalid(conflicts), isUnchanged: false };
  if (isPartial) for (const name of unchanged) merged.delete(name);
  const isUnchanged = isPartial && shown.size > 0 && [...shown].every((name) => unchanged.includes(name));
  return { form: merged, isUnchanged };
}

function conflictText(names: readonly string[], now: FormSnapshot, choiceLabels: ReadonlyMap<string, string>): string {
  const [name = ""] = names;
  const isOne = names.length === 1;
  const text = (isOne && (choiceLabels.get(name) ?? singleText(name, now))) || "";
  const shown = text.length > 0 && text.length <= 200 ? ` to “${text}”` : "";
  const path = isOne ? name.replace(/:\w+$/, "") : rootOf(name);
  return `${path}: changed${shown} after you opened this page. Submit again to overwrite the change.`;
}

/** The text of a field with one value. A checkbox has none, and one of several fields would not tell the change. */
function singleText(name: string, now: FormSnapshot): string | undefined {
  const values = now.get(name) ?? [];
  return values.length === 1 && !name.endsWith(":flag") ? values[0] : undefined;
}

/** `windows.0.from` is a part of windows. */
const rootOf = (name: string) => name.replace(/[.:].*$/s, "");

function readSnapshot(text: string | undefined): Record<string, string> {
  try {
    const read: unknown = JSON.parse(text ?? "");
    const entries = typeof read === "object" && read !== null ? Object.entries(read) : [];
    return Object.fromEntries(entries.filter(([, print]) => typeof print === "string"));
  } catch {
    return {};
  }
}

const fingerprintOrEmpty = (values: readonly string[] | undefined) => (values === undefined ? "" : fingerprint(values));

function fingerprint(values: readonly string[]): string {
  const text = JSON.stringify(values.map((value) => value.replaceAll("\r\n", "\n")));
  // A page has hundreds: one call each, where a Hash object costs more than the hashing.
  return hash("sha256", text, "base64url").slice(0, 12);
}
