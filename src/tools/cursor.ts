import { z } from "zod";
import type { Cursor } from "../store/page.ts";

/** Where a list that goes by cursor continues, as its last page said. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}(\.[\da-f-]{36})?$/, "is no place of this list; send what its last page said")
  .describe("Where to go on: meta.next of the page before.");

/** The meta block of a page that goes by cursor: no total, however long the list. */
export const CursorMeta = z.object({
  limit: z.int(),
  next: z.string().nullable().describe("Where the next page begins; null at the end."),
});

export function cursorOf(text: string | undefined): Cursor | null {
  const [at = "", id = ""] = text?.split(".") ?? [];
  return text === undefined ? null : { at: Number(at), id };
}

export function cursorText(cursor: Cursor | null): string | null {
  return cursor && `${cursor.at}.${cursor.id}`;
}
