import { SIDEBAR_SECTIONS } from "../pages/sections.ts";
import type { PageContext } from "./page-context.ts";

/** What each room has waiting, by its path. */
export type Counts = Readonly<Record<string, number>>;
export type Counted = Pick<PageContext, "call" | "may"> & { workspaceId: string };

/** Some things come to wait by the clock alone. */
const FRESH_MS = 30_000;
const MOST_WORKSPACES = 1_000;

/**
 * What waits in the rooms of a workspace: asked once for everybody who looks, and not again before something was
 * written. Whoever may not open a room is not told its count, and asks for nobody.
 */
export function createCounts(version: () => number, now: () => number) {
  interface Known {
    version: number;
    at: number;
    rooms: Map<string, Promise<number | undefined>>;
  }
  const known = new Map<string, Known>();

  return async ({ workspaceId, call, may }: Counted): Promise<Counts> => {
    let here = known.get(workspaceId);
    const current = version();
    if (here === undefined || here.version !== current || now() - here.at >= FRESH_MS) {
      if (known.size >= MOST_WORKSPACES) known.clear();
      here = { version: current, at: now(), rooms: new Map() };
      known.set(workspaceId, here);
    }
    const { rooms } = here;
    const counted = SIDEBAR_SECTIONS.map(async ({ path, needs, count }) => {
      if (count === undefined || !may(needs)) return [];
      const asked = rooms.get(path) ?? count({ call }).catch(() => undefined);
      rooms.set(path, asked);
      const found = await asked;
      return found === undefined ? [] : [[path, found] as const];
    });
    return Object.fromEntries((await Promise.all(counted)).flat());
  };
}
