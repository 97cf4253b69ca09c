/** @jsxRuntime automatic @jsxImportSource preact */

import { COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import type { OperationName } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { revealed } from "../../ui/labels.ts";
import { authorText } from "../../ui/own-proposal.tsx";
import { ReadState, useEdit } from "../socialnet/decide.tsx";
import { type Around, needsChanges, pathOf, type Whole } from "./load.ts";

/** The operation that edits a proposal in place. Documents and posts are edited by their agents. */
const EDITS = { answer: "edit_answer", action: "edit_socialnet_action" } as const satisfies Record<
  string,
  OperationName
>;

/** Whether the member can edit the text of a proposal on its own page. */
export function useEditable(whole: Whole): boolean {
  const { may } = usePageContext();
  const { kind, waiting, action } = whole;
  if (kind !== "answer" && kind !== "action") return false;
  return may(EDITS[kind]) && (waiting || needsChanges(whole) || action?.status === "held");
}

interface Props {
  whole: Whole;
  around: Around;
}

/** The editor, in place of the text. After it is saved, the page compares the new text with the earlier one. */
export function Editor({ whole, around }: Props) {
  const { href, workspace } = usePageContext();
  const { id, version, answer, action } = whole;
  const edit = useEdit(action ?? { status: "planned", approved_by: null }, around.account);
  const then = `${pathOf(whole).slice(1)}?view=diff`;
  const hash = <Hidden name="copy_hash" value={version} />;
  const cancel = (
    <a class="button" href={href(pathOf(whole))}>
      Cancel
    </a>
  );
  if (answer !== null) {
    return (
      <Form does="edit_answer" then={then} class="editor" label="Edit text">
        <Hidden name="answer_id" value={id} />
        {hash}
        <Invisible text={answer.subject} />
        <TextField name="subject" label="Subject" value={answer.subject} required />
        <Invisible text={answer.body} />
        <TextArea name="body" label="Text" hint={authorText(workspace)} value={answer.body} rows={14} required focus />
        <div class="bar">
          <button type="submit" class="primary">
            Save text
          </button>
          {cancel}
        </div>
      </Form>
    );
  }
  if (action === null) return null;
  const limit = `Up to ${amount(COPY_LIMITS[action.kind])} characters.`;
  const effect = needsChanges(whole)
    ? `After you save the text, the action needs review again. ${authorText(workspace)}`
    : edit.text;
  return (
    <Form does="edit_socialnet_action" then={then} class="editor" label="Edit text">
      <Hidden name="action_id" value={id} />
      {hash}
      <ReadState action={action} account={around.account} />
      <Invisible text={action.copy} />
      <TextArea name="copy" label="Text" hint={`${limit} ${effect}`} value={action.copy} rows={14} focus />
      <div class="bar">
        <button type="submit" class="primary">
          {needsChanges(whole) ? "Save text" : edit.submit}
        </button>
        {cancel}
      </div>
    </Form>
  );
}

/**
 * The text with codes for its invisible characters and sizes for its long gaps, if it has any. The field below doesn't
 * show them, and submitting it may approve them.
 */
function Invisible({ text }: { text: string }) {
  const shown = revealed(text);
  if (shown === text) return null;
  return (
    <div class="needs-note">
      <p>This text has invisible characters or long gaps. They are shown in brackets:</p>
      <p class="reading">{shown}</p>
    </div>
  );
}
