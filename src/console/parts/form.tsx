/** @jsxRuntime automatic @jsxImportSource preact */
import { type ComponentChildren, createContext, toChildArray } from "preact";
import { useContext } from "preact/hooks";
import type { OperationName } from "../answers.ts";
import { inWords } from "../names.ts";
import { SEEN, type Seen, writeSeen } from "../seen.ts";
import { type Failed, useVisit } from "../visit.ts";
import { faultInWords, pathOfFault } from "./faults.ts";
import { Hidden } from "./fields.tsx";

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
  const { may, failed, newToken } = useVisit();
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
  const { draft, seen: all } = useVisit();
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
export function isAbout({ typed }: Failed, children: ComponentChildren): boolean {
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
