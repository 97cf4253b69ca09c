import { z } from "zod";
import {
  type Automation,
  type CatalogItem,
  type EvidenceVerdict,
  itemSchema,
  OUTPUT_KINDS,
  type PersonAction,
  type Runner,
} from "./item.ts";

/** A fault between items: which item to fix, where in it, and how. */
interface LinkFault {
  index: number;
  path: readonly PropertyKey[];
  message: string;
}

/** Where items do not fit together: duplicate ids, links to unknown items, and what could never become due. */
function linkFaults(items: readonly CatalogItem[]): LinkFault[] {
  const faults: LinkFault[] = [];
  const byId = new Map<string, CatalogItem>();
  items.forEach((item, index) => {
    if (byId.has(item.id))
      faults.push({ index, path: ["id"], message: `${item.id} is already used by an earlier item` });
    else byId.set(item.id, item);
  });
  items.forEach((item, index) => {
    item.executor.dependencies.forEach((id, position) => {
      const again = item.executor.dependencies.indexOf(id) < position;
      const message = again ? `${id} is listed twice. Remove one` : dependencyFault(item, id, byId.get(id));
      if (message !== undefined) faults.push({ index, path: ["executor", "dependencies", position], message });
    });
    const message = replacementFault(item, byId);
    if (message !== undefined) faults.push({ index, path: ["executor", "replaced_by"], message });
  });
  for (const cycle of cyclesOf(byId)) {
    const index = items.findIndex(({ id }) => id === cycle[0]);
    const message = `these items depend on each other: ${[...cycle, cycle[0]].join(" → ")}`;
    faults.push({ index, path: ["executor", "dependencies"], message });
  }
  return faults;
}

function dependencyFault(item: CatalogItem, id: string, other: CatalogItem | undefined): string | undefined {
  if (other === undefined) return `there is no item ${id}`;
  const { replaced_by, test_first } = other.executor;
  if (replaced_by !== null) return `${id} is replaced and never completes. Name ${replaced_by} instead`;
  if (item.executor.replaced_by !== null) return undefined;
  if (test_first && !item.executor.test_first) return `${id} is experimental and never due. Remove it`;
  if (item.kind === "one_time" && other.kind === "ongoing") return `${id} is recurring and never completes. Remove it`;
  return undefined;
}

function replacementFault(
  { id, kind, executor: { replaced_by: other, test_first } }: CatalogItem,
  byId: ReadonlyMap<string, CatalogItem>,
): string | undefined {
  if (other === null) return undefined;
  const successor = byId.get(other);
  if (successor === undefined) return `there is no item ${other}`;
  if (other === id) return "an item can't replace itself. Name another item";
  if (successor.kind !== kind) {
    return kind === "one_time"
      ? `${other} is recurring. Name a one-time item (OT)`
      : `${other} is one-time. Name a recurring item (ON)`;
  }
  if (successor.executor.replaced_by !== null)
    return `${other} is replaced too. Name ${successor.executor.replaced_by} instead`;
  if (test_first) return "a replaced item can't have test_first. Remove it";
  return undefined;
}

/** The dependency cycles, each once, from its first id on. */
function cyclesOf(byId: ReadonlyMap<string, CatalogItem>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const walk = (id: string, path: readonly string[]) => {
    const start = path.indexOf(id);
    if (start !== -1) cycles.push(fromSmallest(path.slice(start)));
    if (start !== -1 || done.has(id)) return;
    for (const next of byId.get(id)?.executor.dependencies ?? []) walk(next, [...path, id]);
    done.add(id);
  };
  for (const id of byId.keys()) walk(id, []);
  return cycles;
}

function fromSmallest(cycle: readonly string[]): string[] {
  const start = cycle.indexOf([...cycle].sort()[0] as string);
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}

/** A contradiction within one item: the path of the field to fix, and how. */
interface ItemFault {
  path: readonly PropertyKey[];
  message: string;
}

/** How each automation divides the work between the assistant and the person. */
const SHARES: Record<Automation, { runner: readonly Runner[]; person_action: PersonAction }> = {
  auto: { runner: ["assistant", "service"], person_action: "none" },
  ai_draft_human_approves: { runner: ["assistant"], person_action: "approve_change_deny" },
  notify_human: { runner: ["assistant", "service"], person_action: "do" },
  human_only: { runner: ["person"], person_action: "do" },
};

/** The actors that each verdict allows for. */
const WITNESSES: Record<EvidenceVerdict, readonly Runner[]> = {
  observation: ["assistant", "person"],
  output: ["assistant"],
  service: ["service", "person"],
  person: ["person"],
};

/** Where the fields of an item contradict each other. */
function itemFaults(item: CatalogItem): ItemFault[] {
  const { automation, executor, accepts_output_kinds: kinds, detected_by } = item;
  const { evidence_verdict: verdict, runner, person_action: action } = executor;
  const shares = SHARES[automation];
  const faults: ItemFault[] = [];
  const check = (holds: boolean, path: readonly PropertyKey[], message: string) => {
    if (!holds) faults.push({ path, message });
  };
  const once = item.kind === "one_time";
  check(
    (item.frequency === "once") === once,
    ["frequency"],
    once ? "must be once for a one-time item (OT)" : "can't be once for a recurring item (ON)",
  );
  check(
    shares.person_action === action,
    ["executor", "person_action"],
    `must be ${shares.person_action} if automation is ${automation}`,
  );
  check(
    shares.runner.includes(runner),
    ["executor", "runner"],
    `must be ${shares.runner.join(" or ")} if automation is ${automation}`,
  );
  check(
    WITNESSES[verdict].includes(runner),
    ["executor", "evidence_verdict"],
    `can't be ${verdict} if the runner is ${runner}`,
  );
  check(
    (verdict === "output") === (action === "approve_change_deny"),
    ["executor", "evidence_verdict"],
    verdict === "output"
      ? "can't be output unless person_action is approve_change_deny"
      : "must be output if person_action is approve_change_deny",
  );
  check(
    (verdict === "output") === kinds.length > 0,
    ["accepts_output_kinds"],
    verdict === "output"
      ? `must include ${OUTPUT_KINDS.join(" or ")} if evidence_verdict is output`
      : "must be empty unless evidence_verdict is output",
  );
  check(new Set(kinds).size === kinds.length, ["accepts_output_kinds"], "can't name a kind twice");
  check(verdict !== "service" || detected_by !== null, ["detected_by"], "is required if evidence_verdict is service");
  return faults;
}

const catalogSchema = z.strictObject({
  version: z
    .string('must be text in quotes, such as "2026.11"')
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'must be a version such as "2026.11"'),
  items: z.array(itemSchema).min(1).max(198),
});

/** A complete and valid catalog, its items in the order of their ids. */
export interface Catalog {
  version: string;
  items: readonly CatalogItem[];
}

/** What is wrong with a catalog: the path into the data, and the item there. */
export interface CatalogFault {
  path: readonly PropertyKey[];
  item: string | null;
  message: string;
}

/** Reads a catalog from plain data, or reports everything that is wrong with it, in the order of the data. */
export function parseCatalog(data: unknown): { catalog: Catalog } | { faults: CatalogFault[] } {
  const parsed = catalogSchema.safeParse(data);
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(faultsOf);
    return { faults: faults.map((fault) => ({ ...fault, item: idAt(data, fault.path) })) };
  }
  const faults = catalogFaults(parsed.data.items);
  if (faults.length > 0) return { faults };
  const items = parsed.data.items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { catalog: { version: parsed.data.version, items } };
}

/** What the schema of an item cannot check: fields that contradict each other, and items that do not fit together. */
function catalogFaults(items: readonly CatalogItem[]): CatalogFault[] {
  const own = items.flatMap((item, index) => itemFaults(item).map((fault) => ({ index, ...fault })));
  return [...own, ...linkFaults(items)]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, path, message }) => ({ path: ["items", index, ...path], item: items[index]?.id ?? null, message }));
}

/** Each unknown field is a separate fault at its own path. */
function faultsOf(issue: z.core.$ZodIssue): Omit<CatalogFault, "item">[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: "is not a known field. Remove it" }));
}

function idAt(data: unknown, [list, index]: readonly PropertyKey[]): string | null {
  if (list !== "items" || typeof index !== "number") return null;
  const id = (data as { items: { id?: unknown }[] }).items[index]?.id;
  return typeof id === "string" ? id : null;
}
