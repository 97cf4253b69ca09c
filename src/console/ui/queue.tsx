/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { Key, Time } from "./basics.tsx";
import { amount } from "./format.ts";
import { shortcut } from "./shortcuts.ts";

interface QueueRowProps {
  href: string;
  /** Whether the page shows this item. */
  isOpen: boolean;
  isUnread?: boolean;
  mark: ComponentChildren;
  title: string;
  /** When it arrived, beside the title. */
  at?: string | undefined;
  /** Further lines. */
  children: ComponentChildren;
}

/** An item of the list beside the open one. */
export function QueueRow({ href, isOpen, isUnread = false, mark, title, at, children }: QueueRowProps) {
  return (
    <li class={isUnread ? "unread" : undefined}>
      <a href={href} aria-current={isOpen ? "true" : undefined}>
        {mark}
        <span class="title">
          {isUnread && <UnreadDot />}
          {title}
        </span>
        {at !== undefined && <Time at={at} />}
        {children}
      </a>
    </li>
  );
}

export function UnreadDot() {
  return (
    <span class="dot">
      <span class="hidden">Unread</span>
    </span>
  );
}

interface NeighborsProps {
  of: "item" | "conversation";
  /** The address of the list. */
  list: string;
  listName: string;
  /** Where the open one is in its list, from 1. */
  position: { at: number; of: number } | undefined;
  before: string | undefined;
  next: string | undefined;
}

/** The position in the list, and links to the items before and after the open one, with shortcuts. */
export function Neighbors({ of, list, listName, position, before, next }: NeighborsProps) {
  if (position === undefined && before === undefined && next === undefined) return null;
  return (
    <nav class="bar-inline" aria-label={`Previous and next ${of}`}>
      {position !== undefined && (
        <a class="quiet nowrap" href={list}>
          {amount(position.at)} of {amount(position.of)}
          <span class="hidden">. View {listName}</span>
        </a>
      )}
      {before !== undefined && (
        <a class="button" href={before} {...shortcut("k", `Previous ${of}`)} rel="prev">
          Previous <Key of="k" />
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} {...shortcut("j", `Next ${of}`)} rel="next">
          Next <Key of="j" />
        </a>
      )}
    </nav>
  );
}
