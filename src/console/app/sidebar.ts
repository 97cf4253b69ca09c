import type { IconName } from "../ui/icon.tsx";
import type { CallOperation, DataOf, OperationName } from "./operations.ts";

/** The workspace status that every page shows. */
export type WorkspaceStatus = DataOf<"get_workspace_status">;

/** A section of the console, as the sidebar lists it. */
export interface SidebarSection {
  name: string;
  path: `/${string}`;
  /** The key that opens it, after `g`. */
  key: string;
  icon: IconName;
  /** Whether it is in the bar on phones. The other sections are in the More menu. */
  inBar?: true;
  /** Members who can't call this operation don't see the section. */
  needs: OperationName;
  /** Whether its pages without a parameter in their path are tabs of each other. */
  tabs?: true;
  /** The number in the badge, updated while the page is open. */
  count?: (status: WorkspaceStatus, memberId: string) => number;
}

/** A member who views a workspace. */
export interface StatusCaller {
  workspaceId: string;
  call: CallOperation;
}

/** A status can change without a write, so it is read again after this. */
const FRESH_MS = 30_000;
const MAX_WORKSPACES = 1_000;

/** Reads the status of a workspace. It is the same for every member, and cached until something is written. */
export function createStatusReader(version: () => number, now: () => number) {
  const cache = new Map<string, { version: number; at: number; status: Promise<WorkspaceStatus> }>();

  return ({ workspaceId, call }: StatusCaller): Promise<WorkspaceStatus> => {
    const current = version();
    const cached = cache.get(workspaceId);
    if (cached !== undefined && cached.version === current && now() - cached.at < FRESH_MS) return cached.status;
    if (cache.size >= MAX_WORKSPACES) cache.clear();
    const status = call("get_workspace_status", {}).then(({ data }) => data);
    const entry = { version: current, at: now(), status };
    cache.set(workspaceId, entry);
    status.catch(() => {
      if (cache.get(workspaceId) === entry) cache.delete(workspaceId);
    });
    return status;
  };
}

/** Whether a page belongs to a section. */
export function isInSection(section: SidebarSection, path: string): boolean {
  if (section.path === "/") return path === "/" || path === "";
  return path === section.path || path.startsWith(`${section.path}/`);
}
