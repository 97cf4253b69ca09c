import type { CatalogItem } from "./checklist-item.ts";

/** Something wrong between items: which of them is to be mended, where in it, and how. */
export interface LinkFault {
  index: number;
  path: readonly PropertyKey[];
  message: string;
}

/** Where items do not fit together: ids taken twice, links into nowhere, and what could never become due. */
export function linkFaults(items: readonly CatalogItem[]): LinkFault[] {
  const faults: LinkFault[] = [];
  const byId = new Map<string, CatalogItem>();
  items.forEach((item, index) => {
    if (byId.has(item.id)) faults.push({ index, path: ["id"], message: `${item.id} is taken by an item above` });
    else byId.set(item.id, item);
  });
  items.forEach((item, index) => {
    item.executor.dependencies.forEach((id, place) => {
      const again = item.executor.dependencies.indexOf(id) < place;
      const message = again ? `${id} is named twice` : dependencyFault(item, id, byId.get(id));
      if (message !== undefined) faults.push({ index, path: ["executor", "dependencies", place], message });
    });
    const message = replacementFault(item, byId);
    if (message !== undefined) faults.push({ index, path: ["executor", "replaced_by"], message });
  });
  for (const cycle of cyclesOf(byId)) {
    const index = items.findIndex(({ id }) => id === cycle[0]);
    const message = `these items wait for each other: ${[...cycle, cycle[0]].join(" → ")}`;
    faults.push({ index, path: ["executor", "dependencies"], message });
  }
  return faults;
}

function dependencyFault(item: CatalogItem, id: string, other: CatalogItem | undefined): string | undefined {
  if (other === undefined) return `there is no item ${id}`;
  const { replaced_by, test_first } = other.executor;
  if (replaced_by !== null) return `${id} is replaced and never gets done; name ${replaced_by}`;
  if (item.executor.replaced_by !== null) return undefined;
  if (test_first && !item.executor.test_first) return `${id} is to be tested first, and not yet due for anybody`;
  if (item.kind === "one_time" && other.kind === "ongoing") return `${id} is ongoing and never done for good`;
  return undefined;
}

function replacementFault(
  { id, kind, executor: { replaced_by: other, test_first } }: CatalogItem,
  byId: ReadonlyMap<string, CatalogItem>,
): string | undefined {
  if (other === null) return undefined;
  const successor = byId.get(other);
  if (successor === undefined) return `there is no item ${other}`;
  if (other === id) return "an item cannot replace itself";
  if (successor.kind !== kind) return `${other} is of another kind`;
  if (successor.executor.replaced_by !== null)
    return `${other} is replaced itself; name ${successor.executor.replaced_by}`;
  if (test_first) return "a replaced item is not to be tested first; drop test_first";
  return undefined;
}

/** The cycles that a walk along the dependencies comes upon, each once, from its first id on. */
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
