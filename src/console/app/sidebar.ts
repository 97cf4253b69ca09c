import type { IconName } from "../ui/icon.tsx";
import type { CallOperation, OperationName } from "./operations.ts";

/** A section of the console, as the sidebar lists it. */
export interface SidebarSection {
  name: string;
  path: `/${string}`;
  /** The key that opens it, after `g`. */
  key: string;
  icon: IconName;
  /** Whether the bar of a phone shows it. The other sections are behind More. */
  inBar?: true;
  /** A member who may not call this operation does not see the section. */
  needs: OperationName;
  /** Whether its pages without a name in their path are tabs beside each other. */
  tabs?: true;
  /** How many records need a person: the number beside the name, kept up to date while the page is open. */
  count?(caller: { call: CallOperation }): Promise<number>;
}

/** How many records need a person, by the path of the section. */
export type SidebarCounts = Readonly<Record<string, number>>;

/** A member who looks at a workspace. */
export interface CountsCaller {
  workspaceId: string;
  call: CallOperation;
  may(name: OperationName): boolean;
}

/** A count can also change with time alone, so it is read again after this. */
const FRESH_MS = 30_000;
const MAX_WORKSPACES = 1_000;

/**
 * Counts of the sections of a workspace. One answer serves every member until something is written. A member who may
 * not open a section does not get its count, and does not cause it to be read.
 */
export function createSidebarCounts(
  sections: readonly SidebarSection[],
  { version, now }: { version: () => number; now: () => number },
) {
  interface CachedCounts {
    version: number;
    at: number;
    byPath: Map<string, Promise<number | undefined>>;
  }
  const cache = new Map<string, CachedCounts>();

  return async ({ workspaceId, call, may }: CountsCaller): Promise<SidebarCounts> => {
    let cached = cache.get(workspaceId);
    const current = version();
    if (cached === undefined || cached.version !== current || now() - cached.at >= FRESH_MS) {
      if (cache.size >= MAX_WORKSPACES) cache.clear();
      cached = { version: current, at: now(), byPath: new Map() };
      cache.set(workspaceId, cached);
    }
    const { byPath } = cached;
    const counts = sections.map(async ({ path, needs, count }) => {
      if (count === undefined || !may(needs)) return [];
      const pending = byPath.get(path) ?? count({ call }).catch(() => undefined);
      byPath.set(path, pending);
      const found = await pending;
      return found === undefined ? [] : [[path, found] as const];
    });
    return Object.fromEntries((await Promise.all(counts)).flat());
  };
}

/** Whether a page belongs to a section. */
export function isInSection(section: SidebarSection, path: string): boolean {
  if (section.path === "/") return path === "/" || path === "";
  return path === section.path || path.startsWith(`${section.path}/`);
}
