/** @jsxRuntime automatic @jsxImportSource preact */

import { TextField } from "./fields.tsx";
import { Confirm, Hidden } from "./form.tsx";

interface Props {
  email: string;
  /** Where to go next. Without it, the same page. */
  then?: string;
}

/** Adds a contact's address to the do-not-contact list, after it says what that stops. */
export function OptOut({ email, then }: Props) {
  return (
    <Confirm
      does="add_suppression"
      {...(then !== undefined && { then })}
      opens="Add to do-not-contact list…"
      submit="Add to do-not-contact list"
      danger
    >
      <Hidden name="email" value={email} />
      <p>This adds {email} to the do-not-contact list. Then:</p>
      <ul class="bullets">
        <li>Rostrum sends this contact no more emails or social messages.</li>
        <li>Their sequences stop.</li>
        <li>Answers that aren't sent yet and social actions that haven't started are canceled.</li>
      </ul>
      <p>This can't be undone.</p>
      <TextField name="reason" kind="optional" label="Reason" hint="Optional." />
    </Confirm>
  );
}
