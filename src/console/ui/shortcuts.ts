/** What each key does. It means the same on every page, so the label of whatever has it begins with one of these. */
export const SHORTCUTS = {
  a: ["Approve", "Activate"],
  c: ["Request changes"],
  d: ["Reject"],
  e: ["Edit"],
  f: ["Search", "Filter"],
  j: ["Next"],
  k: ["Previous"],
  p: ["Mark as published"],
  r: ["Reply"],
  s: ["Snooze"],
  x: ["Done"],
  z: ["Undo"],
} as const;
export type Shortcut = keyof typeof SHORTCUTS;

/** The attributes of whatever a key presses or focuses, and its name in the list of shortcuts. */
export const shortcut = (key: Shortcut, label: string) => ({ "data-key": key, "data-key-label": label });
