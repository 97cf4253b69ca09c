import { z } from "zod";
import type { Cursor } from "../store/page.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** A whole number, also as text; NaN for anything else. Fractions are cut off. */
function toInteger(value: unknown): number {
  if (typeof value === "string") return /^-?\d+(\.\d+)?$/.test(value) ? Math.trunc(Number(value)) : Number.NaN;
  return typeof value === "number" ? Math.trunc(value) : Number.NaN;
}

/** Absent, zero, negative or no number at all is 25; more than 100 is 100. */
function toLimit(value: unknown): number {
  const limit = toInteger(value);
  return limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
}

/** Negative or unparseable is 0. */
function toOffset(value: unknown): number {
  const offset = toInteger(value);
  return offset >= 0 ? Math.min(offset, Number.MAX_SAFE_INTEGER) : 0;
}

/** The paging of list operations. It never refuses: what makes no sense falls back. */
export const pageFields = {
  limit: z.unknown().optional().transform(toLimit).meta({
    type: "integer",
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: "Rows per page. Larger values mean 100, invalid ones 25.",
  }),
  offset: z.unknown().optional().transform(toOffset).meta({
    type: "integer",
    minimum: 0,
    default: 0,
    description: "Rows to skip.",
  }),
};

export const ListMeta = z
  .object({
    total: z.int().nullable().describe("Exact count over all pages."),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean().describe("Whether more rows follow this page."),
  })
  .meta({ id: "ListMeta", description: "The position of this page in the list." });

/** The meta block of a page that holds `count` rows. */
export function listMeta(
  page: { limit: number; offset: number },
  count: number,
  total: number,
): z.infer<typeof ListMeta> {
  return { total, limit: page.limit, offset: page.offset, hasMore: count > 0 && page.offset + count < total };
}

/** The cursor that the previous page returned. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}(\.[\da-f-]{36})?$/, "must be the cursor from the last page of this list")
  .describe("Where to continue: meta.next of the previous page.");

/** The meta block of a page that goes by cursor: no total, however long the list. */
export const CursorMeta = z.object({
  limit: z.int(),
  next: z.string().nullable().describe("The cursor of the next page. Null at the end."),
});

export function cursorOf(text: string | undefined): Cursor | null {
  const [at = "", id = ""] = text?.split(".") ?? [];
  return text === undefined ? null : { at: Number(at), id };
}

export function cursorText(cursor: Cursor | null): string | null {
  return cursor && `${cursor.at}.${cursor.id}`;
}
