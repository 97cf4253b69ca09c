/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import type { PageMeta } from "../app/operations.ts";
import { usePageContext } from "../app/page-context.ts";
import { amount, appointment, exactly, relatively, shortMoment } from "./format.ts";
import { Icon, type IconName } from "./icon.tsx";
import { revealed } from "./labels.ts";
import type { Shortcut } from "./shortcuts.ts";

export type Tone = "plain" | "needs" | "stopped" | "done";

const MARKS: Record<Exclude<Tone, "plain">, IconName> = { needs: "needs", stopped: "stopped", done: "done" };

/** A status as text, with a mark next to its color. */
export function Chip({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class={`chip ${tone}`}>
      {tone !== "plain" && <Icon name={MARKS[tone]} />}
      {children}
    </span>
  );
}

/** A moment: how long ago, with the exact time on hover. */
export function Time({ at }: { at: string | null }) {
  const { now, workspace } = usePageContext();
  if (at === null) return <span class="quiet">Never</span>;
  return (
    <time dateTime={at} title={exactly(at)}>
      {relatively(Date.parse(at), now, workspace.time_zone)}
    </time>
  );
}

interface AppointmentProps {
  at: string;
  /** Without it, the workspace's. */
  timeZone?: string;
}

/** When a person or an agent acts: the weekday, date, time and time zone, and then how far away that is. */
export function Appointment({ at, timeZone }: AppointmentProps) {
  const { now, workspace } = usePageContext();
  const zone = timeZone ?? workspace.time_zone;
  return (
    <span>
      <time dateTime={at} title={exactly(at)}>
        {appointment(Date.parse(at), now, zone)}
      </time>
      <span class="quiet">, {relatively(Date.parse(at), now, zone)}</span>
    </span>
  );
}

interface MomentProps {
  at: string;
  /** Without how long ago it was. */
  alone?: boolean;
}

/** A moment of a record that is read back: when it was, and beneath it how long ago. */
export function Moment({ at, alone = false }: MomentProps) {
  const { now, workspace } = usePageContext();
  return (
    <span class="moment">
      <time dateTime={at} title={exactly(at)} data-zoned>
        {shortMoment(at, now)}
      </time>
      {!alone && <span class="hint beneath">{relatively(Date.parse(at), now, workspace.time_zone)}</span>}
    </span>
  );
}

/** An empty state: what this list is for, and the next action. */
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
  /** Numbers are aligned to the right. */
  figure?: boolean;
  /** Where it is hidden: on phones, or on small laptops too. */
  wide?: boolean | "roomy";
  /** A column of buttons. Its header is shown only to screen readers. */
  act?: boolean;
  /** Takes the space that the other columns leave, and wraps. Without one, the first column does. */
  grow?: "wrap";
  /** Has sentences, which wrap. */
  wrap?: boolean;
  /** On a phone, a column is in the second line, unless it is the title, at the end of the first line or has its name. */
  phone?: "title" | "end" | "named";
}

interface TableProps<T> {
  caption: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** Numbers to compare keep their names on a phone, each on its own line. */
  stacked?: boolean;
}

const isBlank = (cell: ComponentChildren) => cell === null || cell === undefined || cell === false || cell === "";

/** The text of a cell that has nothing else. */
function textOf(cell: ComponentChildren): string | undefined {
  if (typeof cell === "string") return cell;
  if (typeof cell !== "object" || cell === null || !("props" in cell) || cell.type !== "a") return undefined;
  const { children } = cell.props;
  return typeof children === "string" ? children : undefined;
}

/** Shorter texts have one line. */
const ONE_LINE = 24;
/** Longer texts are cut, and shown on hover. */
const SENTENCE = 100;

const lengthOf = (text = "") => (text.length > SENTENCE ? "cut" : text.length > ONE_LINE ? "long" : undefined);

/** Rows, of one line where their texts are short. A column that is empty in every row is left out. */
export function Table<T>({ caption, rows, columns, keyOf, stacked = false }: TableProps<T>) {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const shown = columns
    .map((column, i) => ({ ...column, i }))
    .filter(({ i }) => !cells.every((row) => isBlank(row[i])));
  const growing = Math.max(
    0,
    columns.findIndex(({ grow }) => grow !== undefined),
  );
  const title = Math.max(
    0,
    columns.findIndex(({ phone }) => phone === "title"),
  );
  const classOf = ({ figure, wide, act, wrap, phone, i }: (typeof shown)[number]) =>
    [
      figure && "figure",
      wide && (wide === "roomy" ? "wide roomy" : "wide"),
      act && "act",
      i === growing && "grow",
      wrap && "wraps",
      i === title ? "name" : act ? undefined : phone === "end" ? "end" : phone === "named" ? "meta labeled" : "meta",
    ]
      .filter(Boolean)
      .join(" ");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class={stacked ? undefined : "records"}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.act ? <span class="hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            <tr key={keyOf(row)}>
              {shown.map((column) => {
                const cell = cells[n]?.[column.i];
                const text = textOf(cell);
                return (
                  <td
                    key={column.name}
                    class={[classOf(column), lengthOf(text)].filter(Boolean).join(" ")}
                    title={lengthOf(text) === "cut" ? text : undefined}
                    data-label={column.act ? undefined : column.name}
                  >
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Links to the previous and the next page, and the current position. */
export function Pager({ meta, label = "Pages" }: { meta: PageMeta; label?: string }) {
  const { href, path, query } = usePageContext();
  const { total, limit, offset, hasMore } = meta;
  if (total <= limit && offset === 0) return null;
  const kept = Object.fromEntries(query);
  const at = (start: number) => href(path, { ...kept, offset: start > 0 ? start : undefined });
  return (
    <nav class="pager" aria-label={label}>
      <span class="quiet">
        {amount(offset + 1)}–{amount(Math.min(offset + limit, total))} of {amount(total)}
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
  /** The primary action, next to the heading. */
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

/** Labels and values of a record. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value ?? <span class="quiet">Not set</span>}</dd>
        </>
      ))}
    </dl>
  );
}

/** A part between the separators of an address stays whole up to here. */
const WHOLE_PART = 24;

/** Where an address may wrap: after `@` and `/`, and only within a long part also after a dot, a hyphen or the like. */
const partsOf = (text: string) =>
  text
    .split(/(?<=[@/])(?<!:\/\/)(?!\/)/)
    .flatMap((part) => (part.length > WHOLE_PART ? part.split(/(?<=[._?&=-])(?![._-])/) : [part]));

/** An email address or a URL, which wraps between its parts where a column is too narrow. */
export function Address({ text }: { text: string | null }) {
  return text === null ? <span class="quiet">Not set</span> : addressParts(text);
}

/** A profile to check, as a link. Only a web address without hidden characters is one: it leads where it says. */
export function ProfileLink({ url }: { url: string }) {
  const shown = <Address text={revealed(url)} />;
  return (
    <code>
      {/^https?:\/\//i.test(url) && revealed(url) === url ? (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {shown}
        </a>
      ) : (
        shown
      )}
    </code>
  );
}

/** The same as children, without a component: a page may have hundreds. */
export const addressParts = (text: string): ComponentChildren[] =>
  partsOf(text).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));

interface FactProps {
  name: string;
  /** Changes the value. */
  form?: ComponentChildren;
  children: ComponentChildren;
}

/** A label and a value of a list of facts, with the form that changes it. */
export function Fact({ name, form, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <span>{children ?? <span class="quiet">Not set</span>}</span>
        {form}
      </dd>
    </>
  );
}

/** A secret that is shown only once. */
export function Reveal({ title, value, children }: { title: string; value: string; children?: ComponentChildren }) {
  return (
    <div class="reveal" role="status">
      <p>
        <strong>{title}</strong> Copy it now. You won't see it again.
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

/** Tabs that are links: each part of a section has its own address. */
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

/** The keyboard shortcut of a button: hidden from screen readers, and where there is no keyboard. */
export function Key({ of }: { of: Shortcut | undefined }) {
  if (of === undefined) return null;
  return (
    <span class="key" aria-hidden="true">
      {of}
    </span>
  );
}

/** Text to copy, shown exactly. */
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

interface CursorPagerProps {
  next: string | null;
  label?: string;
  /** The name of the cursor in the address, where a page has two lists. */
  cursor?: string;
}

/** The next page of a list that uses a cursor, and back to its newest entries. */
export function CursorPager({ next, label = "Pages", cursor = "before" }: CursorPagerProps) {
  const { href, path, query } = usePageContext();
  const { [cursor]: at, ...kept } = Object.fromEntries(query);
  if (next === null && at === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <span class="quiet" />
      {at !== undefined && (
        <a class="button" rel="first" href={href(path, kept)}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={href(path, { ...kept, [cursor]: next })}>
          Older
        </a>
      )}
    </nav>
  );
}
