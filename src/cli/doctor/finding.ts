/** The result of one check. */
export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  /** The command or step that fixes it; null where nothing is wrong. A check that is ok and has one is a warning. */
  fix: string | null;
}

export const fine = (check: string, detail: string): Finding => ({ check, ok: true, detail, fix: null });
export const fault = (check: string, detail: string, fix: string): Finding => ({ check, ok: false, detail, fix });

/** Nothing fails yet. */
export const warning = (check: string, detail: string, fix: string): Finding => ({ check, ok: true, detail, fix });

/** The permission bits of everyone but the owner. */
export const OTHERS = 0o077;
