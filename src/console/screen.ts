import type { ComponentChildren } from "preact";
import type { OperationName } from "./answers.ts";
import type { FileAnswer } from "./respond.ts";
import type { Visit } from "./visit.ts";

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
  /** Whoever may not call this gets no link to the page, and 403 for its address. */
  needs: OperationName;
  /** What the forms of the page may call, beside those of the frame. */
  forms?: readonly OperationName[];
  /** Those of them whose outcome the pages of the room tell by themselves, by the record that was answered. */
  tells?: readonly string[];
  /** For the list of keys that `?` opens. */
  keys?: readonly Key[];
  load(visit: Visit): Promise<T>;
  /** What the address asks for as a file, in place of the page. */
  file?(data: T, visit: Visit): FileAnswer | undefined;
  view(data: T, visit: Visit): ComponentChildren;
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
