/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren, VNode } from "preact";
import type { Kind } from "../app/form-data.ts";
import { usePageContext } from "../app/page-context.ts";
import { Fault, useForm } from "./form.tsx";
import { amount } from "./format.ts";
import { renderNow } from "./rendered.tsx";
import { type Shortcut, shortcut } from "./shortcuts.ts";

interface Common {
  /** The name in the operation's input; `steps.0.subject` is nested. */
  name: string;
  label: string;
  hint?: string | VNode;
  /** How its text becomes a value; see form-data.ts. */
  kind?: Kind;
}

/** The attributes that every field shares, including its value and its error. */
function useField({ name, hint, kind, was }: Pick<Common, "name" | "hint" | "kind"> & { was: readonly string[] }) {
  const { id: form, failed, wrong, snapshot } = useForm();
  const id = `${form}-${name.replaceAll(".", "-")}`;
  const full = kind === undefined ? name : `${name}:${kind}`;
  snapshot.set(full, was);
  const isWrong = wrong === name;
  const described = [hint === undefined ? undefined : `${id}-hint`, isWrong ? `${form}-fault` : undefined];
  return {
    typed: failed?.typed.get(full),
    hintId: `${id}-hint`,
    attributes: {
      id,
      name: full,
      "aria-invalid": isWrong ? ("true" as const) : undefined,
      "aria-describedby": described.filter((part) => part !== undefined).join(" ") || undefined,
      autoFocus: isWrong || undefined,
    },
  };
}

/** A field with its label, as a function: a component for each field and its error is slow where a page has hundreds. */
function labeled(
  { name, label, hint }: Common,
  { hintId, attributes: { id, "aria-invalid": isWrong } }: ReturnType<typeof useField>,
  control: VNode,
) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control}
      {isWrong !== undefined && <Fault name={name} label={label} />}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Common {
  type?: "text" | "email" | "url" | "number" | "date" | "time" | "datetime-local" | "password";
  value?: string | number | null | undefined;
  required?: boolean;
  autoComplete?: string;
  placeholder?: string;
  /** The value is only a suggestion, and not saved. */
  suggested?: boolean;
}

export function TextField(props: TextProps) {
  const { name, label: _, hint, kind, type = "text", value, suggested = false, ...rest } = props;
  const was = [suggested || type === "password" ? "" : String(value ?? "")];
  const field = useField({ name, was, ...(hint && { hint }), ...(kind && { kind }) });
  const { typed, attributes } = field;
  // A text field with a numeric keyboard: a number field drops what it cannot read, and scrolling changes its value.
  const figures = type === "number";
  return labeled(
    props,
    field,
    <input
      {...attributes}
      {...rest}
      {...(figures && { inputMode: "decimal" })}
      type={(figures ? "text" : type) as "text"}
      value={typed?.[0] ?? value ?? ""}
    />,
  );
}

interface AreaProps extends Common {
  value?: string | null | undefined;
  rows?: number;
  required?: boolean;
  /** The field that a member types into first on this page. */
  focus?: boolean;
  /** The key that focuses it, outside text fields. */
  hotkey?: Shortcut;
}

export function TextArea(props: AreaProps) {
  const { name, label: _, hint, kind, value, rows = 4, focus = false, hotkey, ...rest } = props;
  const field = useField({ name, was: [value ?? ""], ...(hint && { hint }), ...(kind && { kind }) });
  const { typed, attributes } = field;
  return labeled(
    props,
    field,
    <textarea
      {...attributes}
      {...rest}
      {...(focus && { autoFocus: true })}
      {...(hotkey !== undefined && shortcut(hotkey, "Reply"))}
      rows={rows}
    >
      {/* A line break right after the tag is the parser's, not the text's. */}
      {`\n${typed?.[0] ?? value ?? ""}`}
    </textarea>,
  );
}

interface Choice {
  value: string;
  label: string;
}

interface SelectProps extends Common {
  choices: readonly Choice[];
  value?: string | null | undefined;
  /** Nothing is preselected. */
  required?: boolean;
}

export function Select(props: SelectProps) {
  const { name, hint, kind, choices, value, required } = props;
  const { choiceLabels } = useForm();
  // The first choice, which a browser sends where none is selected, is not the record's.
  const was = [value ?? ""];
  const field = useField({ name, was, ...(hint && { hint }), ...(kind && { kind }) });
  const held = choices.find((choice) => choice.value === value);
  if (held !== undefined) choiceLabels.set(field.attributes.name, held.label);
  const chosen = field.typed?.[0] ?? value ?? "";
  return labeled(
    props,
    field,
    <select {...field.attributes} required={required}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === chosen}>
          {choice.label}
        </option>
      ))}
    </select>,
  );
}

interface CheckProps extends Omit<Common, "kind"> {
  checked?: boolean;
}

/** One checkbox. */
export function Check({ name, label, hint, checked = false }: CheckProps) {
  const { typed, hintId, attributes } = useField({
    name,
    kind: "flag",
    was: checked ? ["false", "true"] : ["false"],
    ...(hint && { hint }),
  });
  return (
    <div class="field check">
      <input type="hidden" name={attributes.name} value="false" />
      <label>
        <input {...attributes} type="checkbox" value="true" checked={typed ? typed.includes("true") : checked} />
        <span>{label}</span>
      </label>
      <Fault name={name} label={label} />
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface Checkable extends Choice {
  hint?: string;
  /** The group that a button with `data-tick` selects. */
  group?: string;
  /** Never selected. The hint says why. */
  disabled?: boolean;
}

/**
 * The further parts of a checkbox. Functions, so that the elements of one live only while it is rendered: there may be
 * hundreds. They belong at module level, where V8 keeps their optimized code.
 */
interface CheckParts<Of> {
  /** Below its label, and a part of it. */
  hint?: (choice: Of) => ComponentChildren;
  /** Below the checkbox, and no part of its label. */
  more?: (choice: Of) => ComponentChildren;
  /** Above the checkbox: the heading of a group. */
  before?: (choice: Of) => ComponentChildren;
}

interface ChecksProps<Of extends Checkable> extends Omit<Common, "kind"> {
  kind?: "list" | "numbers";
  choices: readonly Of[];
  parts?: CheckParts<Of>;
  class?: string;
  chosen?: readonly string[];
  /** Selected too, but not as values of a record: another form sent them on. */
  kept?: readonly string[];
  /** Cleared after an error, because these records changed after they were selected. */
  changed?: ReadonlySet<string>;
}

/** A group of checkboxes. */
export function Checks<Of extends Checkable>(props: ChecksProps<Of>) {
  const { name, label, hint, kind = "list", choices, parts = {}, class: className } = props;
  const { chosen = [], kept = [], changed } = props;
  const was = ["", ...choices.map(({ value }) => value).filter((value) => chosen.includes(value))];
  const { typed, hintId, attributes } = useField({ name, kind, was, ...(hint && { hint }) });
  const { id, name: full, autoFocus, ...described } = attributes;
  const on = new Set(typed ?? [...chosen, ...kept]);
  const isWide = parts.hint !== undefined || choices.some(({ label, hint }) => hint !== undefined || label.length > 14);
  const rows: VNode[] = [];
  for (const [i, choice] of choices.entries()) {
    const { value, label, hint, disabled = false, group } = choice;
    rows.push(
      renderNow(
        <div>
          {parts.before?.(choice)}
          <label>
            <input
              type="checkbox"
              id={`${id}-${i}`}
              name={full}
              value={value}
              checked={!disabled && on.has(value) && changed?.has(value) !== true}
              disabled={disabled || undefined}
              data-group={group}
              autoFocus={(autoFocus && i === 0) || undefined}
            />
            <span>
              {label}
              {hint !== undefined && <span class="hint">{hint}</span>}
              {parts.hint?.(choice)}
            </span>
          </label>
          {parts.more?.(choice)}
        </div>,
      ),
    );
  }
  return (
    <fieldset class={`field checks ${className ?? (isWide ? "many" : "")}`.trimEnd()} {...described}>
      <legend>{label}</legend>
      <Fault name={name} label={label} />
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      <input type="hidden" name={full} value="" />
      <div>{rows}</div>
    </fieldset>
  );
}

interface Props {
  label: string;
  /** The query parameter. */
  name: string;
  choices: readonly { value: string | undefined; name: string; count?: number }[];
  /** The cursor of the list, as its pager has it. */
  cursor?: string;
}

/** One filter of a list, as links. The URL holds the selection, and a change returns to the first page. */
export function Choices({ label, name, choices, cursor = "before" }: Props) {
  const { href, path, query } = usePageContext();
  const { offset: _, [cursor]: __, ...kept } = Object.fromEntries(query);
  const chosen = query.get(name) ?? undefined;
  const known = choices.some(({ value }) => value === chosen) ? chosen : undefined;
  return (
    <nav class="filters" aria-label={label}>
      {choices.map((choice) => (
        <a
          key={choice.value ?? ""}
          href={href(path, { ...kept, [name]: choice.value })}
          aria-current={choice.value === known ? "true" : undefined}
        >
          {choice.name}
          {choice.count !== undefined && <span class="quiet"> {amount(choice.count)}</span>}
        </a>
      ))}
    </nav>
  );
}
