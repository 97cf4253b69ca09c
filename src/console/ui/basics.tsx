import type { ComponentChildren } from "preact";
import type { PageMeta } from "../app/operations.ts";
import { usePageContext } from "../app/page-context.ts";
import { amount, exactly, relatively } from "./format.ts";

/** @jsxRuntime automatic @jsxImportSource preact */

/** Drawn on a grid of 16, in strokes of the text's own colour. */
const PATHS = {
  rostrum: "M3 13h10M4.5 13V6.5h7V13M2.5 6.5h11M8 6.5V2.5M6 2.5h4",
  today: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3.5M10.5 2v3.5",
  review: "M2.500 3h11v8h-6l-3 2.500V11h-2zM5.500 7l1.800 1.800L11 5",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  contacts: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.6-2.400 2.600-3.500 5-3.500s4.400 1.100 5 3.500",
  accounts: "M3 13.500v-11h6v11M9 6.500h4v7M2 13.500h12M5 5h2M5 7.500h2M5 10h2",
  deals: "M2.500 3v10.500h3V3zM6.700 3v7h3V3zM10.900 3v4.500h3V3z",
  sequences: "M3 4h10M3 8h10M3 12h6M11 10.500l2.500 1.500L11 13.500z",
  checklist: "M2.5 4l1.200 1.200L6 3M2.500 10.500l1.200 1.200L6 9.500M8.500 4.500h5M8.500 11h5",
  agents: "M3.500 6h9v7h-9zM8 6V3M8 3h.01M6 9v1M10 9v1M1.500 9v2M14.500 9v2",
  events: "M8.500 1.500L3.500 9H8l-.5 5.500L12.500 7H8z",
  audit: "M3.500 2.500h9v11h-9zM6 5.500h4M6 8h4M6 10.500h2.500",
  settings: "M2.500 5h6M11.500 5h2M10 3.500v3M2.500 11h2M7.500 11h6M6 9.500v3",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.500 10.500l3 3",
  down: "M4.500 6.500L8 10l3.500-3.500",
  running: "M5 3.500v9l7-4.500z",
  paused: "M5.500 3.500v9M10.500 3.500v9",
  needs: "M8 3v6M8 11.500v1",
  done: "M3.500 8.500l3 3 6-7",
  stopped: "M4.500 4.500l7 7M11.500 4.500l-7 7",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

export type Tone = "plain" | "needs" | "stopped" | "done";

const MARKS: Record<Exclude<Tone, "plain">, IconName> = { needs: "needs", stopped: "stopped", done: "done" };

/** A state in a word, with a mark beside its colour. */
export function Chip({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class={`chip ${tone}`}>
      {tone !== "plain" && <Icon name={MARKS[tone]} />}
      {children}
    </span>
  );
}

/** A moment: how long ago, and on hover when exactly. */
export function Time({ at }: { at: string | null }) {
  const { now } = usePageContext();
  if (at === null) return <span class="quiet">never</span>;
  return (
    <time dateTime={at} title={exactly(at)}>
      {relatively(Date.parse(at), now)}
    </time>
  );
}

/** What belongs here, and how the first one comes. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** Figures stand right, and under each other. */
  figure?: boolean;
  /** What a phone can do without. */
  wide?: boolean;
  /** It holds buttons, which say by themselves what they do: its head is read out, and not shown. */
  act?: boolean;
}

interface TableProps<T> {
  caption: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
}

export function Table<T>({ caption, rows, columns, keyOf }: TableProps<T>) {
  const classOf = ({ figure, wide }: Column<T>) =>
    [figure && "figure", wide && "wide"].filter(Boolean).join(" ") || undefined;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.act ? <span class="hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)} data-label={column.act ? undefined : column.name}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The page before and the page after, and where this one stands. */
export function Pager({ meta, label = "Pages" }: { meta: PageMeta; label?: string }) {
  const { href, path, query } = usePageContext();
  const { total, limit, offset, hasMore } = meta;
  if (total <= limit && offset === 0) return null;
  const kept = Object.fromEntries(query);
  const at = (start: number) => href(path, { ...kept, offset: start > 0 ? start : undefined });
  return (
    <nav class="pager" aria-label={label}>
      <span class="quiet">
        {offset + 1} to {Math.min(offset + limit, total)} of {amount(total)}
      </span>
      {offset > 0 && (
        <a class="button" rel="prev" href={at(Math.max(0, offset - limit))}>
          Newer
        </a>
      )}
      {hasMore && (
        <a class="button" rel="next" href={at(offset + limit)}>
          Older
        </a>
      )}
    </nav>
  );
}

interface SectionProps {
  title: string;
  id?: string;
  /** The one thing to do here, beside the heading. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, id, action, children }: SectionProps) {
  return (
    <section id={id}>
      <header>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

/** Facts of a record: what, and how it stands. What is not known is left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value ?? <span class="quiet">not known</span>}</dd>
        </>
      ))}
    </dl>
  );
}

/** Something that is shown this once. */
export function Reveal({ title, value, children }: { title: string; value: string; children?: ComponentChildren }) {
  return (
    <div class="reveal" role="status">
      <p>
        <strong>{title}</strong> Copy it now: it is not shown again.
      </p>
      <div class="copy">
        <code>{value}</code>
        <button type="button" data-copy={value} hidden>
          Copy
        </button>
      </div>
      {children}
    </div>
  );
}

/** Tabs that are links: each part of a room has its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { name: string; path: string }[] }) {
  const { href, path } = usePageContext();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.path} href={href(tab.path)} aria-current={tab.path === path ? "page" : undefined}>
          {tab.name}
        </a>
      ))}
    </nav>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** The key that presses a button, small beside its words: for eyes alone, and where there are keys. */
export function Key({ of }: { of: string | undefined }) {
  if (of === undefined) return null;
  return (
    <span class="key" aria-hidden="true">
      {of}
    </span>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** Something to be copied as it stands. */
export function Snippet({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="snippet">
      <p>{title}</p>
      <div class="copy">
        <code>{text}</code>
        <button type="button" data-copy={text} aria-label={`Copy: ${title}`} hidden>
          Copy
        </button>
      </div>
      {children !== undefined && <p class="hint">{children}</p>}
    </div>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** Where a list that goes by cursor goes on, and back to its newest. */
export function CursorPager({ next, label = "Pages" }: { next: string | null; label?: string }) {
  const { href, path, query } = usePageContext();
  const { before, ...kept } = Object.fromEntries(query);
  if (next === null && before === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <span class="quiet" />
      {before !== undefined && (
        <a class="button" rel="first" href={href(path, kept)}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={href(path, { ...kept, before: next })}>
          Older
        </a>
      )}
    </nav>
  );
}
