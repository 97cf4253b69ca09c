import type { ComponentChildren } from "preact";
import type { Typed } from "./form-data.ts";
import type { OperationName } from "./operations.ts";
import type { PageContext } from "./page-context.ts";
import type { FileAnswer } from "./respond.ts";

/**
 * One page of a workspace: the data it loads, its view, and the operations of its forms. The frame handles permissions,
 * the sidebar, and form errors.
 */
export interface Screen<T = unknown> {
  /** Relative to the workspace. `:id` is a parameter. */
  path: `/${string}`;
  title: string | ((data: T) => string);
  /** The link text of the page above, if its path has a parameter, such as the name of a sequence. */
  up?(data: T): string;
  /** Query parameters that the link to the parent page keeps, such as which list it shows. */
  sharesWithUp?: readonly string[];
  /** Without permission to call this, a member sees no link to the page, and gets 403 for its address. */
  needs: OperationName;
  /** The operations of the page's forms, in addition to those of the frame. */
  forms?: readonly OperationName[];
  /** Operations whose result the pages of the section show themselves, by the id of the record. */
  showsOutcomeOf?: readonly string[];
  load(ctx: PageContext): Promise<T>;
  /** Answers a form that is no operation's own with the data of the page. Such a form may also upload a file. */
  receive?(form: Typed, ctx: PageContext): Promise<T>;
  /**
   * A page to redirect to, below the workspace, such as the page of the record that this one would show. A path alone
   * keeps the query.
   */
  leadsTo?(data: T): `/${string}` | PageAddress | undefined;
  /** A file to send instead of the page. */
  file?(data: T, ctx: PageContext): FileAnswer | undefined;
  /** Attributes of the heading: its id, and whether it takes the focus. */
  heading?(data: T, ctx: PageContext): HeadingAttributes;
  /** The mark of the record that the page is about, before the heading. */
  mark?(data: T): ComponentChildren;
  /** The status of the record, after the heading. */
  status?(data: T, ctx: PageContext): ComponentChildren;
  /** A part of the page to send instead of it, for a script that inserts it. */
  part?(data: T, ctx: PageContext): ComponentChildren | undefined;
  /** The main action of the page, next to the heading. */
  action?(data: T, ctx: PageContext): ComponentChildren;
  view(data: T, ctx: PageContext): ComponentChildren;
}

export interface HeadingAttributes {
  id: string;
  tabIndex?: number;
  autoFocus?: boolean;
  "aria-describedby"?: string;
}

interface PageAddress {
  path: `/${string}`;
  query: Record<string, string | undefined>;
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
  query?: Record<string, string>;
}

/**
 * The pages above one, topmost first: those whose paths are prefixes of its own. Sections have their name from the
 * sidebar. Tabs of a section have no breadcrumbs.
 */
export function breadcrumbsOf(
  screens: readonly Screen[],
  { screen: { path: declared, up, sharesWithUp = [] }, data, ctx }: { screen: Screen; data: unknown; ctx: PageContext },
): Breadcrumb[] {
  const parts = declared.split("/");
  const given = ctx.path.split("/");
  const query = Object.fromEntries([...ctx.query].filter(([name]) => sharesWithUp.includes(name)));
  const above = parts.slice(2).flatMap((_, i, { length }): Breadcrumb[] => {
    const path = parts.slice(0, i + 2).join("/");
    const at = given.slice(0, i + 2).join("/");
    const known = screens.find((one) => one.path === path);
    if (known === undefined || !ctx.may(known.needs)) return [];
    const section = ctx.sections.find((one) => one.path === path);
    const own = typeof known.title === "string" ? known.title : up?.(data);
    const name = section?.name ?? own;
    if (name === undefined) return [];
    return [{ name, path: at, ...(i === length - 1 && { query }) }];
  });
  const section = ctx.sections.find((one) => one.path === `/${parts[1]}`);
  return section?.tabs === true && !declared.includes(":") ? [] : above;
}
