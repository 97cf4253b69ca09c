/** What left bears this where it is as an edit made it, and not as it was before. */
export const EDITED = "zz9";
export type Version = "before" | "edited";
export const versionOf = (text: string): Version => (text.includes(EDITED) ? "edited" : "before");

/** How the two of a pair come: one after the other, or at once, beginning with either. */
export const ORDERS = ["first, second", "second, first", "at once", "at once, turned"] as const;
export type Order = (typeof ORDERS)[number];

type Act = () => Promise<unknown>;

/** Does both, in this order. A refusal is an answer like any other: what leaves is what is asked about. */
export async function race(order: Order, first: Act, second: Act): Promise<void> {
  const tried = (act: Act) => act().catch(() => undefined);
  const acts = order === "second, first" || order === "at once, turned" ? [second, first] : [first, second];
  if (order.startsWith("at once")) await Promise.all(acts.map(tried));
  else for (const act of acts) await tried(act);
}
