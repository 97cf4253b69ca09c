/** The marker in a sent message that shows it has the edited version. Too long to be in a random token by chance. */
export const EDITED = "zz9edited";
export type Version = "before" | "edited";
export const versionOf = (text: string): Version => (text.includes(EDITED) ? "edited" : "before");

/** The orders of a pair: one after the other, or at once, starting with either. */
export const ORDERS = ["first, second", "second, first", "at once", "at once, turned"] as const;
export type Order = (typeof ORDERS)[number];

type Act = () => Promise<unknown>;

/** Runs both in this order. A refusal is a normal answer: only what is sent matters. */
export async function race(order: Order, first: Act, second: Act): Promise<void> {
  const tried = (act: Act) => act().catch(() => undefined);
  const acts = order === "second, first" || order === "at once, turned" ? [second, first] : [first, second];
  if (order.startsWith("at once")) await Promise.all(acts.map(tried));
  else for (const act of acts) await tried(act);
}
