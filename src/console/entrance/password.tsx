/** @jsxRuntime automatic @jsxImportSource preact */
import { PASSWORD_LENGTH } from "../../domain/visit.ts";
import { TextField } from "../parts/fields.tsx";

/** Once, and shown by the browser's own means: typing it twice catches fewer mistakes than it makes. */
export function NewPassword({ name = "password", label = "Password" }: { name?: string; label?: string }) {
  return (
    <TextField
      name={name}
      type="password"
      label={label}
      hint={`At least ${PASSWORD_LENGTH.min} characters. A few words in a row do well.`}
      autoComplete="new-password"
      required
    />
  );
}
