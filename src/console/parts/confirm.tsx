/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { OperationName } from "../answers.ts";
import { useVisit } from "../visit.ts";
import { Form, isAbout } from "./form.tsx";
import { Key } from "./key.tsx";

interface Props {
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
}: Props) {
  const { may, failed } = useVisit();
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
