import { z } from "zod";
import { type CatalogItem, itemSchema } from "./checklist-item.ts";
import { linkFaults } from "./checklist-links.ts";
import { itemFaults } from "./checklist-rules.ts";

const catalogSchema = z.strictObject({
  version: z
    .string('is not text; put it in quotes, as in "2026.11"')
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'is not a version as in "2026.11"'),
  items: z.array(itemSchema).min(1).max(198),
});

/** A whole and sound catalog, its items in the order of their ids. */
export interface Catalog {
  version: string;
  items: readonly CatalogItem[];
}

/** What is wrong with a catalog, and where: the path into the data, and the item that lies there. */
export interface CatalogFault {
  path: readonly PropertyKey[];
  item: string | null;
  message: string;
}

/** Reads a catalog from plain data, or tells everything that is wrong with it, in the order of the data. */
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

/** What the shape of an item cannot tell: fields that contradict each other, and items that do not fit together. */
function catalogFaults(items: readonly CatalogItem[]): CatalogFault[] {
  const own = items.flatMap((item, index) => itemFaults(item).map((fault) => ({ index, ...fault })));
  return [...own, ...linkFaults(items)]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, path, message }) => ({ path: ["items", index, ...path], item: items[index]?.id ?? null, message }));
}

/** Each field that nobody knows is a fault of its own, at its own place. */
function faultsOf(issue: z.core.$ZodIssue): Omit<CatalogFault, "item">[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: "is no field that is known here" }));
}

function idAt(data: unknown, [list, index]: readonly PropertyKey[]): string | null {
  if (list !== "items" || typeof index !== "number") return null;
  const id = (data as { items: { id?: unknown }[] }).items[index]?.id;
  return typeof id === "string" ? id : null;
}
