import type { ComponentChildren } from "preact";
import type { OperationName } from "./operations.ts";
import type { PageContext } from "./page-context.ts";
import type { FileAnswer } from "./respond.ts";

/**
 * One page of a workspace: what it reads, how that looks, and what its forms may call. The frame does the rest:
 * permissions, the sidebar, and forms that were refused.
 */
export interface Screen<T = unknown> {
  /** Below the workspace's own address. `:id` is a part that varies. */
  path: `/${string}`;
  title: string | ((data: T) => string);
  /** What links call the page above, where its path has a name in it: the sequence, the account. */
  up?(data: T): string;
  /** A member who may not call this sees no link to the page, and gets 403 for its address. */
  needs: OperationName;
  /** What the forms of the page may call, in addition to those of the frame. */
  forms?: readonly OperationName[];
  /** Forms whose outcome the pages of the section show themselves, by the id of the record. */
  showsOutcomeOf?: readonly string[];
  load(ctx: PageContext): Promise<T>;
  /** The file that the address asks for instead of the page. */
  file?(data: T, ctx: PageContext): FileAnswer | undefined;
  /** The main action of the page, on the line of the heading. */
  action?(data: T, ctx: PageContext): ComponentChildren;
  view(data: T, ctx: PageContext): ComponentChildren;
}

/** The identity, for type inference. */
export function screen<T>(declared: Screen<T>): Screen {
  return declared as Screen;
}

/** The screen at a path, and the values of the names in the path. */
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

/** A link to a page above this one. */
export interface Breadcrumb {
  name: string;
  path: string;
}

/**
 * The pages above one, topmost first: those whose paths are prefixes of its own. A section has its name in the sidebar.
 * Pages that are tabs of each other have none.
 */
export function breadcrumbsOf(
  screens: readonly Screen[],
  { screen: { path: declared, up }, data, ctx }: { screen: Screen; data: unknown; ctx: PageContext },
): Breadcrumb[] {
  const parts = declared.split("/");
  const given = ctx.path.split("/");
  const above = parts.slice(2).flatMap((_, i): Breadcrumb[] => {
    const path = parts.slice(0, i + 2).join("/");
    const at = given.slice(0, i + 2).join("/");
    const known = screens.find((one) => one.path === path);
    if (known === undefined || !ctx.may(known.needs)) return [];
    const section = ctx.sections.find((one) => one.path === path);
    const own = typeof known.title === "string" ? known.title : up?.(data);
    const name = section?.name ?? own;
    return name === undefined ? [] : [{ name, path: at }];
  });
  const section = ctx.sections.find((one) => one.path === `/${parts[1]}`);
  return section?.tabs === true && !declared.includes(":") ? [] : above;
}
