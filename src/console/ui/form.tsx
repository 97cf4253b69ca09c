import { type ComponentChildren, createContext, toChildArray } from "preact";
import { useContext } from "preact/hooks";
import { SEEN, type Seen, writeSeen } from "../app/form-merge.ts";
import type { OperationName } from "../app/operations.ts";
import { type Failed, usePageContext } from "../app/page-context.ts";
import { Key } from "./basics.tsx";
import { Hidden } from "./fields.tsx";
import { inWords } from "./labels.ts";

/** What the API says of a value, and how a page says it: the whole of what stands after the field's label. */
const AS_PEOPLE_SAY: readonly (readonly [says: RegExp, words: string])[] = [
  [/^is required$/, " is missing; fill it in"],
  [/^is empty$/, " is empty; fill it in"],
  [/^has fewer than 1 entries$/, ": choose at least one"],
  [/^has fewer than (\d+) entries$/, ": choose at least $1"],
  [/^is none of .*$/s, ": choose one of those that are offered"],
  [/^is not an e-mail address$/, " is not an e-mail address; enter one like ada@example.com"],
  [/^is not a whole number$/, " is not a whole number; enter one in figures, like 20"],
  [/^is not a number$/, " is not a number; enter one in figures, like 20"],
  [/^is not an? (string|array|object|boolean)$/, " cannot be read; enter it anew"],
];

const FIELD = /^([a-z][\w.]*): (.*?)\.?$/s;

/** Which field a refusal is about, as the operation's input names it. */
function pathOfFault(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/**
 * A refusal of one field, for whoever looks at the page: the field by its label there, rows and entries counted from
 * one. What the API says in words of its own stays.
 */
export function faultInWords(message: string, name: string, label: string): string {
  const [, path = "", says = message] = FIELD.exec(message) ?? [];
  const known = AS_PEOPLE_SAY.find(([pattern]) => pattern.test(says));
  const words = known === undefined ? ` ${says}` : says.replace(known[0], known[1]);
  const entry = /^(\d+)(\.|$)/.exec(path.slice(name.length + 1))?.[1];
  return `${rowOf(name)}“${label}”${entry === undefined ? "" : `, entry ${Number(entry) + 1},`}${words}.`;
}

/** `steps.2.body` stands in the third step. */
function rowOf(name: string): string {
  const [, rows = "", at] = /^([a-z]\w*?)s?\.(\d+)\./.exec(name) ?? [];
  return at === undefined
    ? ""
    : `${rows.charAt(0).toUpperCase()}${rows.slice(1).replaceAll("_", " ")} ${Number(at) + 1}: `;
}

/** @jsxRuntime automatic @jsxImportSource preact */

interface Props {
  /** The operation it calls: its fields are named as that one's input. Who may not call it is not shown the form. */
  does: OperationName;
  /** Tells it from another form of the page that calls the same. */
  id?: string;
  /** Where to go afterwards, below the workspace; `{id}` is the record's. Without it, the same page. */
  then?: string;
  /** What to call the form where no heading does. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}

/** Which form a field stands in, and how that went. */
interface FormState {
  id: string;
  failed: Pick<Failed, "typed" | "problem"> | undefined;
  /** The name of the field that the refusal is about. */
  wrong: string | undefined;
  /** What each field held before somebody typed, as the form would send it. */
  seen: Seen;
  /** Set by the field that has told of the refusal: what no field tells stands below them all. */
  told: { by?: string };
}

const Current = createContext<FormState>({ id: "", failed: undefined, wrong: undefined, told: {}, seen: new Map() });

export function useForm(): FormState {
  return useContext(Current);
}

export function Form({ does, id = does, then, label, class: className, children }: Props) {
  const { may, failed, newToken } = usePageContext();
  if (!may(does)) return null;
  const mine = failed?.form === id && isAbout(failed, children) ? failed : undefined;
  if (mine !== undefined) mine.shown = true;
  return (
    <PlainForm id={id} label={label} class={className} failed={mine}>
      <input type="hidden" name="_do" value={does} />
      <input type="hidden" name="_form" value={id} />
      <input type="hidden" name="_token" value={newToken()} />
      {then !== undefined && <input type="hidden" name="_then" value={then} />}
      {children}
      <WhatWasSeen failed={mine} />
    </PlainForm>
  );
}

/**
 * Drawn after all fields, for the server to tell a change of somebody else from one of whoever sends it. A form that is
 * drawn again goes on from what was seen first, unless that is what it was refused for.
 */
function WhatWasSeen({ failed }: { failed: Failed | undefined }) {
  const { id, seen } = useForm();
  const { draft, seen: all } = usePageContext();
  all.set(id, seen);
  const again = draft?.get("_form")?.[0] === id ? draft : failed?.stale === true ? undefined : failed?.typed;
  const isEdit = [...seen.values()].some((values) => values.some((value) => value !== "" && value !== "false"));
  // What is drawn again holds what was typed: that is no beginning.
  const first = again !== undefined ? again.get(SEEN)?.[0] : isEdit ? writeSeen(seen) : undefined;
  return first === undefined ? null : <input type="hidden" name={SEEN} value={first} />;
}

/**
 * Whether a refused form was about what this one is about. A page may show another thing by now, under the same form:
 * what was typed for the first is not put beside the second.
 */
function isAbout({ typed }: Failed, children: ComponentChildren): boolean {
  return toChildArray(children).every((child) => {
    if (typeof child !== "object" || child.type !== Hidden) return true;
    const { name, kind, value } = child.props as unknown as Parameters<typeof Hidden>[0];
    const sent = typed.get(kind === undefined ? name : `${name}:${kind}`);
    return !/(^|_)id$/.test(name) || sent === undefined || sent.includes(String(value));
  });
}

/** The button that Enter presses, where another one stands first in the form. */
export function EnterButton({ children }: { children: ComponentChildren }) {
  return (
    <button type="submit" class="hidden" tabIndex={-1}>
      {children}
    </button>
  );
}

interface PlainProps {
  id: string;
  action?: string;
  label?: string | undefined;
  class?: string | undefined;
  failed: Pick<Failed, "typed" | "problem"> | undefined;
  children: ComponentChildren;
}

/** A form that keeps what was typed, and says what is wrong where it is. */
export function PlainForm({ id, action, label, class: className, failed, children }: PlainProps) {
  const names = [...(failed?.typed.keys() ?? [])].map((name) => name.replace(/:\w+$/, ""));
  const message = failed?.problem.message;
  const wrong = message === undefined ? undefined : fieldOf(message, names);
  return (
    <form method="post" action={action} class={className} aria-label={label} id={id}>
      {message !== undefined && wrong === undefined && (
        <p class="fault" role="alert" id={`${id}-fault`} tabIndex={-1}>
          {message}
        </p>
      )}
      <Current.Provider value={{ id, failed, wrong, told: {}, seen: new Map() }}>
        {children}
        {wrong !== undefined && <Untold name={wrong} />}
      </Current.Provider>
    </form>
  );
}

interface FaultProps {
  name: string;
  /** What the page calls the field. */
  label: string;
}

/** Why a field was refused, beside it. */
export function Fault({ name, label }: FaultProps) {
  const { id, failed, wrong, told } = useForm();
  if (failed === undefined || wrong !== name || told.by !== undefined) return null;
  told.by = name;
  return (
    <p class="fault" role="alert" id={`${id}-fault`}>
      {faultInWords(failed.problem.message, name, label)}
    </p>
  );
}

/** Drawn after all fields: what is wrong with one that is hidden, or that tells nothing by itself. */
function Untold({ name }: { name: string }) {
  return <Fault name={name} label={inWords(name.slice(name.lastIndexOf(".") + 1))} />;
}

/** The field that a refusal names: itself, or the nearest one that holds it. */
function fieldOf(message: string, names: readonly string[]): string | undefined {
  for (let at = pathOfFault(message); at; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
    const found = names.find((name) => name === at || name.startsWith(`${at}.`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @jsxRuntime automatic @jsxImportSource preact */

interface ConfirmProps {
  does: OperationName;
  id?: string;
  then?: string;
  /** What the closed button says. */
  opens: string;
  /** What it is about, for a screen reader, where the button stands in a row of its like. */
  about?: string;
  /** What the button says that does it. */
  submit: string;
  danger?: boolean;
  /** The one thing to do on its page. */
  primary?: boolean;
  /** The key that opens it, while nobody types. */
  hotkey?: string;
  align?: "left" | "right";
  /** What it will do, and the fields that it needs. */
  children: ComponentChildren;
}

/** An act that asks first, without a script: a button that opens, and one inside that does it. */
export function Confirm({
  does,
  id = does,
  then,
  opens,
  about,
  submit,
  danger = false,
  primary = false,
  hotkey,
  align = "left",
  children,
}: ConfirmProps) {
  const { may, failed } = usePageContext();
  if (!may(does)) return null;
  return (
    <details class={`confirm ${align}`} open={failed?.form === id && isAbout(failed, children)}>
      <summary
        class={danger ? "button danger" : primary ? "button primary" : "button"}
        data-key={hotkey}
        data-says={opens.replace("…", "")}
      >
        {opens}
        {about !== undefined && <span class="hidden"> {about}</span>}
        {hotkey !== undefined && " "}
        <Key of={hotkey} />
      </summary>
      <Form does={does} id={id} {...(then !== undefined && { then })} class="sheet">
        {children}
        <button type="submit" class={danger ? "danger" : "primary"}>
          {submit}
        </button>
      </Form>
    </details>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** Nobody approves their own by the way: it is said, and the server asks for it too. */
export function Own({ required = true }: { required?: boolean }) {
  return (
    <div class="field check own">
      <label>
        <input type="checkbox" name="own_proposal:flag" aria-describedby="own-why" value="true" required={required} />
        <span>This is my own proposal, or my agent's. I approve it nonetheless, and the audit says so.</span>
      </label>
      <p class="hint" id="own-why">
        Whoever made a key answers for what its agent proposes, so that counts as theirs.
      </p>
    </div>
  );
}
