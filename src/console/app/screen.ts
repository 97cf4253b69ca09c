import type { ComponentChildren } from "preact";
import type { OperationName } from "./operations.ts";
import type { PageContext } from "./page-context.ts";
import type { FileAnswer } from "./respond.ts";

/** A key of one page: what on it carries the same `data-key` is clicked by it, or is given the focus if it is a field. */
export interface Key {
  key: string;
  does: string;
}

/**
 * One page of a workspace: what it reads, how that looks, and what its forms may call. Everything else is the frame's:
 * who is asked, what a role is not offered, what happens to a form that was refused.
 */
export interface Screen<T = unknown> {
  /** Below the workspace's own address; `:id` stands for a part that varies. */
  path: `/${string}`;
  title: string | ((data: T) => string);
  /** What the page above is called where its path has a name in it: the sequence, the account. */
  up?(data: T): string;
  /** Whoever may not call this gets no link to the page, and 403 for its address. */
  needs: OperationName;
  /** What the forms of the page may call, beside those of the frame. */
  forms?: readonly OperationName[];
  /** Those of them whose outcome the pages of the room tell by themselves, by the record that was answered. */
  tells?: readonly string[];
  /** For the list of keys that `?` opens. */
  keys?: readonly Key[];
  load(visit: PageContext): Promise<T>;
  /** What the address asks for as a file, in place of the page. */
  file?(data: T, visit: PageContext): FileAnswer | undefined;
  /** The one thing to do on the page: stands on the heading's own line. */
  action?(data: T, visit: PageContext): ComponentChildren;
  view(data: T, visit: PageContext): ComponentChildren;
}

/** The identity, for inference. */
export function screen<T>(declared: Screen<T>): Screen {
  return declared as Screen;
}

/** The screen at a path, and what stands in the place of its names. */
export function findScreen(
  screens: readonly Screen[],
  path: string,
): { screen: Screen; params: Record<string, string> } | undefined {
  const given = path.split("/");
  for (const screen of screens) {
    const parts = screen.path.split("/");
    if (parts.length !== given.length) continue;
    if (!parts.every((part, i) => part.startsWith(":") || part === given[i])) continue;
    const params = parts.flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), given[i] as string]] : []));
    return { screen, params: Object.fromEntries(params) };
  }
  return undefined;
}

/** A page above another one. */
export interface Above {
  name: string;
  path: string;
}

/**
 * The pages above one, the topmost first: those whose paths its own goes on from. A room is called as in the rail. Those
 * beside their room's page, by its tabs, have none.
 */
export function pagesAbove(
  screens: readonly Screen[],
  { screen: { path: declared, up }, data, visit }: { screen: Screen; data: unknown; visit: PageContext },
): Above[] {
  const parts = declared.split("/");
  const given = visit.path.split("/");
  const above = parts.slice(2).flatMap((_, i): Above[] => {
    const path = parts.slice(0, i + 2).join("/");
    const at = given.slice(0, i + 2).join("/");
    const known = screens.find((one) => one.path === path);
    if (known === undefined || !visit.may(known.needs)) return [];
    const room = visit.rooms.find((one) => one.path === path);
    const own = typeof known.title === "string" ? known.title : up?.(data);
    const name = room?.name ?? own;
    return name === undefined ? [] : [{ name, path: at }];
  });
  const room = visit.rooms.find((one) => one.path === `/${parts[1]}`);
  return room?.tabs === true && !declared.includes(":") ? [] : above;
}
