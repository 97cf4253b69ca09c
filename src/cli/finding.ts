/** What `doctor` found at one place. */
export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  /** The command or step that mends it; null where nothing is wrong. */
  mend: string | null;
}

export const fine = (check: string, detail: string): Finding => ({ check, ok: true, detail, mend: null });
export const fault = (check: string, detail: string, mend: string): Finding => ({ check, ok: false, detail, mend });
