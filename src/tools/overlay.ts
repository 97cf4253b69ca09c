/** What is there, with what was given in its place; what was left out stays. */
export function overlay<T extends object>(before: T, given: { [F in keyof T]?: T[F] | undefined }): T {
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
